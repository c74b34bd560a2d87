# Build and run (deploy/README.md explains more):
#
#   docker build --build-arg TORCH_INDEX=ADDRESS -t bnviz .
#   docker run --init --read-only --tmpfs /tmp -v bnviz:/var/lib/bnviz -p 8501:8501 bnviz
#
# ADDRESS is PyTorch's package index for CPUs. https://pytorch.org/get-started shows it after
# `--index-url` if you choose Linux, Pip, Python and CPU. Without it, the image has 5 GB more.

# The test of deploy/install.sh uses this Debian and its Python 3.11, too.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE .gitignore app.py ./
COPY .streamlit .streamlit
COPY pages pages
COPY assets assets
COPY bnviz bnviz
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /dist .

FROM python:${PYTHON}
ARG TORCH_INDEX=
COPY --from=wheel /dist /build/dist
COPY constraints.txt requirements.txt /build/
COPY deploy/install.sh deploy/start.sh deploy/health.py /build/deploy/
RUN sh /build/deploy/install.sh /build/dist/bnviz-*.whl

LABEL org.opencontainers.image.title="bnviz" \
      org.opencontainers.image.description="Watch internal covariate shift and batch normalization, live." \
      org.opencontainers.image.licenses="MIT"

ARG PORT=8501
ENV PORT=${PORT} PATH=/opt/bnviz/current/bin:$PATH
EXPOSE ${PORT}
USER bnviz
# The only folder that the app writes to.
VOLUME /var/lib/bnviz
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["bnviz-health"]
ENTRYPOINT ["bnviz-start"]
