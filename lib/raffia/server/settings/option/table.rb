# frozen_string_literal: true

require_relative "."

module Raffia
  class Server
    class Option
      row = lambda do |section, name, kind, default, says, short: nil, takes: nil|
        Option.new(name:, kind:, default:, section:, says:, short:, takes:)
      end

      # Everything that can be set: the one source of the keywords of {Server.new}, of the words in
      # raffia.rb, of the flags of `raffia serve` and of the reference in guides/server.md. Whoever
      # adds a setting adds a row.
      TABLE = ::Ractor.make_shareable([
        row[:listen, :bind, :uris, [], "where to listen: tcp://HOST:PORT, unix:///PATH, " \
          "ssl://HOST:PORT, fd://N, systemd:", short: "-b"],
        row[:listen, :host, :string, nil, "the host of the default bind", short: "-o",
          takes: "HOST"],
        row[:listen, :port, :port, 9292, "the port of the default bind; PORT says the same",
          short: "-p"],
        row[:listen, :backlog, :count, 1024,
          "connections that may wait to be accepted, per socket; the kernel's somaxconn is the " \
            "most"],
        row[:listen, :reuse_port, :flag, true,
          "a TCP socket of its own for each worker process (SO_REUSEPORT)"],

        row[:tls, :tls, %i[off self_signed], :off,
          "TLS on the default bind, with a certificate made here, for development"],
        row[:tls, :tls_cert, :paths, [],
          "a certificate with its chain, PEM; once for each host name (SNI)"],
        row[:tls, :tls_key, :paths, [], "the key of the certificate at the same place in the " \
          "list, PEM"],
        row[:tls, :tls_ca, :path, nil, "the CAs that client certificates must come from, PEM"],
        row[:tls, :tls_verify, %i[none optional required], :none,
          "whether clients must show a certificate"],
        row[:tls, :tls_min, %w[1.2 1.3], "1.2", "the oldest version of TLS to speak"],
        row[:tls, :tls_ciphers, :string, nil,
          "OpenSSL's list of ciphers for TLS 1.2, when its default will not do", takes: "LIST"],
        row[:tls, :tls_handshake_timeout, :seconds, 10,
          "a client that has not finished its handshake by then is dropped"],

        row[:workers, :processes, :workers, :auto,
          "worker processes; auto: one for each CPU that the control group grants; 0: none, " \
            "serve in this process", short: "-w"],
        row[:workers, :ractors, :ractors, 0,
          "Ractors in each process, for applications that can; auto: as many as CPUs, or none " \
            "when the application cannot"],
        row[:workers, :execution, %i[auto fibers threads], :auto,
          "where requests run; auto: in fibers, or on threads where fibers would share what " \
            "belongs to one request"],
        row[:workers, :threads, :threads, 5,
          "requests at a time in each process, with execution threads"],
        row[:workers, :preload, :flag_or_auto, :auto,
          "a template process loads the application and forks the workers, which share its " \
            "memory; auto: with two workers or more"],
        row[:workers, :yjit, :flag, true,
          "compile with YJIT once the application is loaded, where this Ruby has it"],
        row[:workers, :environment, :string, nil,
          "sets RACK_ENV and RAILS_ENV; default: what these say, else development", short: "-e",
          takes: "ENV"],
        row[:workers, :tag, :string, nil,
          "the name in process titles; default: that of the folder"],
        row[:workers, :pidfile, :path, nil, "where to write the pid; removed at the end"],
        row[:workers, :boot_timeout, :seconds, 60,
          "a worker that is not ready by then is replaced"],
        row[:workers, :worker_timeout, :seconds, 60,
          "a worker whose loop does not turn for so long is replaced"],
        row[:workers, :drain_timeout, :seconds, 30,
          "how long requests in flight may take to end when a worker stops"],
        row[:workers, :worker_memory, :bytes, nil, "replace a worker that takes more (PSS)"],
        row[:workers, :total_memory, :bytes, nil,
          "replace the largest worker when all of them take more (PSS)"],
        row[:workers, :worker_requests, :limit, nil, "replace a worker after so many requests"],

        row[:timeouts, :idle_timeout, :seconds, 65,
          "between two requests of a connection; longer than the 60 s of usual load balancers"],
        row[:timeouts, :head_timeout, :seconds, 15,
          "for the whole head of a request, from its first byte"],
        row[:timeouts, :body_timeout, :seconds, 30, "between two pieces of a request's body"],
        row[:timeouts, :write_timeout, :seconds, 30,
          "for the client to take a piece of the response"],
        row[:timeouts, :request_timeout, :seconds, nil,
          "the deadline of a request: its fiber is cancelled then"],
        row[:timeouts, :hard_timeout, :seconds, nil,
          "a worker with a request that takes so long is replaced"],
        row[:timeouts, :request_deadline, :flag, true,
          "take a request's deadline from its Request-Timeout header, if that is sooner"],

        row[:limits, :max_line, :bytes, 8 << 10, "the request line; longer: 414"],
        row[:limits, :max_head, :bytes, 32 << 10, "all header fields of a request; more: 431"],
        row[:limits, :max_headers, :limit, 100, "header fields in a request; more: 431"],
        row[:limits, :max_header_name, :bytes, 256, "the name of a header field"],
        row[:limits, :max_chunk_extensions, :bytes, 4 << 10, "all chunk extensions of a body"],
        row[:limits, :max_trailers, :bytes, 8 << 10, "all trailer fields of a request"],
        row[:limits, :max_body, :bytes, 50 << 20, "a request's body; longer: 413"],
        row[:limits, :rewindable_input, :flag, false,
          "keep request bodies of more than 64 KiB in files, for apps that rewind them"],
        row[:limits, :max_connections, :limit, 10_000,
          "connections of a worker; with so many it does not accept"],
        row[:limits, :max_requests_per_connection, :limit, nil,
          "then the connection is closed, so that a load balancer spreads anew"],
        row[:limits, :max_in_flight, :limit, nil, "requests that a worker is at; more wait"],
        row[:limits, :max_queue_time, :seconds, nil,
          "a request that has waited longer is answered with 503 and Retry-After"],
        row[:limits, :queue_target, :seconds, nil,
          "answer with 503 when for ten times this long no request has waited less"],

        row[:see, :log, :log, "-", "the server's own log: a file, or - for stderr"],
        row[:see, :log_level, %i[debug info warn error fatal off], nil,
          "from which level; default: what RAFFIA_LOG says, else info"],
        row[:see, :log_format, %i[text json], nil,
          "default: what RAFFIA_LOG_FORMAT says, else text"],
        row[:see, :access_log, :log, nil, "a line for each request: a file, or - for stdout"],
        row[:see, :access_log_format, %i[combined json], :combined,
          "as web servers write it, or a JSON object a line"],
        row[:see, :metrics, :uri, nil, "where to show /metrics and /stats.json, such as " \
          "tcp://127.0.0.1:9394"],
        row[:see, :slow_request, :seconds, 5,
          "a request that takes longer is shown with its backtrace in /stats.json"],

        row[:content, :static, :paths, [],
          "folders whose files are served before the application is asked", takes: "FOLDER"],
        row[:content, :early_hints, :flag, true, "let the application send 103 responses"]
      ])
    end
  end
end
