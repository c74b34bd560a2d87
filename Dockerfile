# Build and run (deploy/README.md explains more):
#
#   docker build -t bnviz .
#   docker run --rm --init --read-only --tmpfs /tmp -v bnviz:/var/lib/bnviz -p 8501:8501 bnviz

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
# Build of PyTorch, see deploy/install.sh.
ARG TORCH_BACKEND=cpu
COPY --from=wheel /dist /build/dist
COPY constraints.txt requirements.txt requirements-dev.txt /build/
COPY deploy/install.sh deploy/start.sh deploy/health.py /build/deploy/
RUN TORCH_BACKEND=${TORCH_BACKEND} sh /build/deploy/install.sh /build/dist/bnviz-*.whl

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
