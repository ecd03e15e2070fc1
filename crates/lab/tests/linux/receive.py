# Receives one connection.
import socket

listener = socket.create_server(("", 5001))
end, _ = listener.accept()
while end.recv(1 << 16):
    pass
end.close()
