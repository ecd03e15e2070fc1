# docker build -t lasthop .
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" lasthop run net.toml
# docker run --rm --network host lasthop web --no-open
FROM node:22-bookworm-slim AS node

FROM rust:1.91-slim-bookworm AS build
# Debian's Node is too old for the page's bundler.
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
 && rustup target add wasm32-unknown-unknown
WORKDIR /src
COPY . .
# The page of `lasthop web`, which the next build contains.
RUN cargo xtask web \
 && cargo build --locked --profile dist --package lasthop --all-features \
 && cargo xtask web --check target/dist/lasthop

FROM debian:bookworm-slim
COPY --from=build /src/target/dist/lasthop /usr/local/bin/lasthop
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/lasthop/
# Scenarios are read from here, and results written to its results/.
WORKDIR /work
ENTRYPOINT ["lasthop"]
CMD ["--help"]
