# frozen_string_literal: true

module TestSupport
  # The proxies that people put before a Ruby server, with what each wants to hear. For cases of the
  # server.
  module Proxies
    NGINX = <<~CONF
      %{user}
      daemon off; pid nginx.pid; error_log log;
      events { worker_connections 1000; }
      http {
        access_log off; client_max_body_size 100m;
        client_body_temp_path body; proxy_temp_path proxy;
        fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
        upstream app { server 127.0.0.1:%{back}; keepalive 16; }
        map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
        server {
          listen 127.0.0.1:%{front};
          location / {
            proxy_pass http://app; proxy_http_version 1.1; proxy_request_buffering %{buffering};
            proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
          }
        }
      }
    CONF

    HAPROXY = <<~CONF
      defaults
        mode http
        timeout connect 5s
        timeout client 60s
        timeout server 60s
        option forwardfor
        http-reuse always
      frontend front
        bind 127.0.0.1:%{front}
        default_backend app
      backend app
        server one 127.0.0.1:%{back}
    CONF

    private

    # @param proxy [Symbol] what begins with nginx or haproxy
    # @param config [String] a config.ru
    # @yieldparam front [Integer] the proxy's port
    # @yieldparam back [Integer] the server's
    def behind(proxy, config, **settings)
      name = proxy.to_s[/\A[a-z]+/]
      binary = need_program(name)
      front = TestSupport::Daemon.free_port
      program(config) do |back|
        user = (::Process.uid.zero? ? "user root;" : "")
        text = format((name == "nginx") ? NGINX : HAPROXY, front: front, back: back, user: user,
          **settings)
        command = (name == "nginx") ? ["-p", ".", "-e", "log", "-c", "conf"] : ["-f", "conf"]
        TestSupport::Daemon.run(binary, *command, port: front, files: {"conf" => text}) do
          yield front, back
        end
      end
    end
  end
end
