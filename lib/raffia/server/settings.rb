# frozen_string_literal: true

require_relative "../service/settings"

module Raffia
  class Server
    # All settings of a server: keywords of {Server.new}, words of raffia.rb, flags of
    # `raffia serve`, and the reference in guides/server.md. A new setting is a new row.
    Settings = Service::Settings.define(
      listen: ["Where it listens", [
        [:bind, :uris, [],
          "where to listen: tcp://HOST:PORT, unix:///PATH, ssl://HOST:PORT, fd://N, systemd:",
          {short: "-b"}],
        [:host, :string, nil, "the host of the default bind", {short: "-o", takes: "HOST"}],
        [:port, :port, 9292, "the port of the default bind; PORT says the same", {short: "-p"}],
        [:backlog, :count, 1024,
          "connections that may wait to be accepted, per socket; the kernel's somaxconn " \
            "is the most"],
        [:reuse_port, :flag, true, "a TCP socket of its own for each worker process (SO_REUSEPORT)"]
      ]],
      tls: ["TLS", [
        [:tls, %i[off self_signed], :off,
          "TLS on the default bind, with a certificate made here, for development"],
        [:tls_cert, :paths, [], "a certificate with its chain, PEM; once for each host name (SNI)"],
        [:tls_key, :paths, [], "the key of the certificate at the same place in the list, PEM"],
        [:tls_ca, :path, nil, "the CAs that client certificates must come from, PEM"],
        [:tls_verify, %i[none optional required], :none, "whether clients must show a certificate"],
        [:tls_min, %w[1.2 1.3], "1.2", "the oldest version of TLS to speak"],
        [:tls_ciphers, :string, nil,
          "OpenSSL's list of ciphers for TLS 1.2, when its default will not do", {takes: "LIST"}],
        [:tls_handshake_timeout, :seconds, 10,
          "a client that has not finished its handshake by then is dropped"]
      ]],
      workers: ["Workers", [
        [:processes, :elastic_workers, :auto,
          "worker processes; 2..16: as many as the load needs, of these; auto: one for each " \
            "CPU that the control group grants; 0: none, serve in this process", {short: "-w"}],
        [:shrink_after, :seconds, 300,
          "with a range of processes: a worker is ended when one less has been enough for so long"],
        [:ractors, :ractors, 0,
          "Ractors in each process, for applications that can; auto: as many as CPUs, or " \
            "none when the application cannot"],
        [:execution, %i[auto fibers threads], :auto,
          "where requests run; auto: in fibers, or on threads where fibers would share " \
            "what belongs to one request"],
        [:threads, :elastic_threads, 5,
          "requests at a time in each process, with execution threads. Threads start when they " \
            "are needed, and end when they are idle; with 2..16, two of at most 16 stay"],
        [:max_io_threads, :count, 1_000,
          "further threads, for WebSockets and streams that last, with execution threads; " \
            "more: 503"],
        [:rebalance, :flag, true,
          "with two processes or more: a connection moves to an idle worker when its own is busy"],
        [:preload, :flag_or_auto, :auto,
          "a template process loads the application and forks the workers, which share " \
            "its memory; auto: with two workers or more"],
        [:watch, :flag, false,
          "in development, load the application again when its files change"],
        [:yjit, :flag, true,
          "compile with YJIT once the application is loaded, where this Ruby has it"],
        [:environment, :string, nil,
          "sets RACK_ENV and RAILS_ENV; default: what these say, else development",
          {short: "-e", takes: "ENV"}],
        [:tag, :string, nil, "the name in process titles; default: that of the folder"],
        [:pidfile, :path, nil, "where to write the pid; removed at the end"],
        [:control, :uri, "auto",
          "the Unix socket at which a new server asks this one for its listening sockets, such " \
            "as unix:///run/app/raffia.ctl; auto: one in the folder of run-time files, by the " \
            "first address; off: none"],
        [:takeover_trial, :seconds, 10,
          "how long a server that takes over serves before the old one leaves"],
        [:takeover_probe, :uri, nil,
          "a path, such as /up, that each new worker must answer with 2xx or 3xx in a takeover",
          {takes: "PATH"}],
        [:boot_timeout, :seconds, 60, "a worker that is not ready by then is replaced"],
        [:worker_timeout, :seconds, 60,
          "a worker whose loop does not turn for so long is replaced"],
        [:drain_timeout, :seconds, 30,
          "how long requests in flight may take to end when a worker stops"],
        [:worker_memory, :bytes, nil, "replace a worker that takes more (PSS)"],
        [:total_memory, :bytes, nil, "replace the largest worker when all of them take more (PSS)"],
        [:worker_requests, :limit, nil, "replace a worker after so many requests"]
      ]],
      timeouts: ["Timeouts (30, 0.5, 2m, off)", [
        [:idle_timeout, :seconds, 65,
          "between two requests of a connection; longer than the 60 s of usual load balancers"],
        [:head_timeout, :seconds, 15, "for the whole head of a request, from its first byte"],
        [:body_timeout, :seconds, 30, "between two pieces of a request's body"],
        [:write_timeout, :seconds, 30, "for the client to take a piece of the response"],
        [:request_timeout, :seconds, nil, "the deadline of a request: its fiber is cancelled then"],
        [:hard_timeout, :seconds, nil, "a worker with a request that takes so long is replaced"],
        [:request_deadline, :flag, true,
          "take a request's deadline from its Request-Timeout header, if that is sooner"]
      ]],
      limits: ["Limits (65536, 64k, 50m, off)", [
        [:max_line, :bytes, 8 << 10, "the request line; longer: 414"],
        [:max_head, :bytes, 32 << 10, "all header fields of a request; more: 431"],
        [:max_headers, :limit, 100, "header fields in a request; more: 431"],
        [:max_header_name, :bytes, 256, "the name of a header field"],
        [:max_chunk_extensions, :bytes, 4 << 10, "all chunk extensions of a body"],
        [:max_trailers, :bytes, 8 << 10, "all trailer fields of a request"],
        [:max_body, :bytes, 50 << 20, "a request's body; longer: 413"],
        [:rewindable_input, :flag, false,
          "keep request bodies of more than 64 KiB in files, for apps that rewind them"],
        [:max_connections, :limit, 10_000,
          "connections of a worker; with so many it does not accept"],
        [:max_requests_per_connection, :limit, nil,
          "then the connection is closed, so that a load balancer spreads anew"],
        [:max_in_flight, :limit, nil, "requests that a worker is at; more wait"],
        [:max_queue_time, :seconds, nil,
          "a request that has waited longer is answered with 503 and Retry-After"],
        [:client_rate, :limit, nil,
          "requests a second of one client, in all worker processes; more: 429"],
        [:client_burst, :limit, nil,
          "requests that a client may send at once; default: those of a second"],
        [:client_connections, :limit, nil,
          "connections of one client, to all worker processes; more are closed, with 429"],
        [:trusted_proxies, :strings, [],
          "addresses and networks of proxies whose word counts on who the client is",
          {takes: "NETWORK"}],
        [:client_header, %i[x_forwarded_for forwarded], :x_forwarded_for,
          "where these proxies name the client; they must overwrite or extend it"],
        [:queue_target, :seconds, nil,
          "answer with 503 when for ten times this long no request has waited less"]
      ]],
      http2: ["HTTP/2", [
        [:http2, :flag, true,
          "speak HTTP/2, too: by ALPN on TLS, and with clients that begin with it"],
        [:http2_max_streams, :count, 100,
          "requests of a connection at a time; a stream counts until its request has ended"],
        [:http2_window, :bytes, 64 << 10,
          "bytes of a request's body that a client may send before the application reads"],
        [:websockets_over_http2, %i[off native bridge], :off,
          "offer WebSockets over HTTP/2 (RFC 8441), which browsers then use: native to " \
            "applications that use Raffia::Server::WebSocket, bridge to those that hijack, too"]
      ]],
      see: ["Logs and metrics", [
        [:log, :log, "-", "the server's own log: a file, or - for stderr"],
        [:log_level, %i[debug info warn error fatal off], nil,
          "from which level; default: what RAFFIA_LOG says, else info"],
        [:log_format, %i[text json], nil, "default: what RAFFIA_LOG_FORMAT says, else text"],
        [:access_log, :log, nil, "a line for each request: a file, or - for stdout"],
        [:access_log_format, %i[combined json], :combined,
          "as web servers write it, or a JSON object a line"],
        [:metrics, :uri, nil,
          "where to show /metrics and /stats.json, such as tcp://127.0.0.1:9394"],
        [:slow_request, :seconds, 5,
          "a request that takes longer is shown with its backtrace in /stats.json"]
      ]],
      content: ["Content", [
        [:static, :paths, [],
          "folders whose files are served before the application is asked", {takes: "FOLDER"}],
        [:early_hints, :flag, true, "let the application send 103 responses"],
        [:compress, :codings, [],
          "codings of responses, the favourite first: zstd (needs the gem zstd-ruby), br (the " \
            "gem brotli), gzip"],
        [:compress_min, :bytes, 1 << 10, "responses with a shorter body are not compressed"],
        [:compress_types, :strings,
          %w[text/* application/json application/*+json application/javascript application/xml
            application/*+xml application/wasm image/svg+xml image/bmp font/ttf font/otf],
          "media types to compress; text/event-stream has to be named", {takes: "TYPE"}],
        [:compress_jitter, :count, 0,
          "at most so many random bytes in the head of gzip bodies, against BREACH"],
        [:error_page, :status_files, [],
          "a file for responses of the server's own with this status, such as " \
            "503=public/503.html; read when a worker boots", {takes: "STATUS=FILE"}],
        [:error_details, :flag, true,
          "in development, an error's source and cause for clients on this machine"]
      ]]
    )
  end
end
