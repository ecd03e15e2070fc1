# docker build -t lasthop .
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" lasthop run net.toml
FROM rust:1.91-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist --package lasthop

FROM debian:bookworm-slim
COPY --from=build /src/target/dist/lasthop /usr/local/bin/lasthop
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/lasthop/
# Scenarios are read from here, and results written to its results/.
WORKDIR /work
ENTRYPOINT ["lasthop"]
CMD ["--help"]
