# Connects to a node and sends bytes with a congestion control: send.py NODE CONTROL BYTES
import socket
import sys

node, control, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
there = socket.getaddrinfo(node, 5001, socket.AF_INET, socket.SOCK_STREAM)[0][4]
end = socket.socket()
end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
end.connect(there)
end.sendall(bytes(count))
end.shutdown(socket.SHUT_WR)
assert end.recv(1) == b""
