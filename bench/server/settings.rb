# frozen_string_literal: true

require_relative "service"

module ServerBench
  # Settings of servers that take them from files.
  module Settings
    PUMA = <<~RUBY
      bind "tcp://127.0.0.1:PORT"
      environment "production"
      log_requests false
      max_keep_alive Float::INFINITY
    RUBY

    PITCHFORK = <<~RUBY
      worker_processes 1
    RUBY

    # The queue for Ruby holds as many requests as there are connections; others would get 503.
    ITSI = <<~RUBY
      workers 1
      threads 1
      fiber_scheduler true
      ruby_thread_request_backlog_size 20_000
      rackup_file "APP"
      bind "http://127.0.0.1:PORT"
      log_level :error
    RUBY

    NGINX = <<~CONF
      daemon off;
      user root;
      worker_processes 1;
      pid FOLDER/pid;
      events { worker_connections 10000; }
      http {
        access_log off;
        keepalive_requests 1000000000;
        sendfile on;
        tcp_nopush on;
        default_type text/plain;
        client_body_temp_path FOLDER/a; proxy_temp_path FOLDER/b; fastcgi_temp_path FOLDER/c;
        uwsgi_temp_path FOLDER/d; scgi_temp_path FOLDER/e;
        server {
          listen 127.0.0.1:PORT backlog=4096;
          root FOLDER;
          location = / { return 200 "Hello, world\\n"; }
        }
      }
    CONF

    # nginx 1.22 speaks one of both on a port without TLS.
    NGINX_HTTP2 = NGINX.sub("backlog=4096", "backlog=4096 http2").freeze
    DOWNLOAD = Service::DOWNLOAD

    def self.itsi(app) = ITSI.sub("APP", app)
  end
end
