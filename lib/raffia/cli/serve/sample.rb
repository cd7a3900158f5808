# frozen_string_literal: true

require_relative "../../server/settings"
require_relative "../../server/hooks"

module Raffia
  module CLI
    module Serve
      # `raffia serve --init`: writes a raffia.rb with all settings as comments, with their
      # defaults.
      #
      # @api private
      class Sample
        PATH = "raffia.rb"
        # Examples for settings without a useful default.
        EXAMPLES = {
          bind: 'bind "tcp://[::]:9292"', host: 'host "localhost"', tls: "tls :self_signed",
          tls_cert: 'tls "cert.pem", "key.pem"', tls_ca: 'tls_ca "clients.pem"',
          environment: 'environment "production"', tag: 'tag "shop"',
          pidfile: 'pidfile "tmp/raffia.pid"', takeover_probe: 'takeover_probe "/up"', metrics: 'metrics "tcp://127.0.0.1:9394"',
          static: 'static "public"', access_log: 'access_log "-"',
          trusted_proxies: 'trusted_proxies "10.0.0.0/8"', client_rate: "client_rate 20",
          worker_memory: 'worker_memory "512m"', total_memory: 'total_memory "2g"',
          compress: "compress :gzip",
          error_page: 'error_page 503, "public/503.html"',
          request_timeout: "request_timeout 30", hard_timeout: "hard_timeout 60"
        }.freeze
        private_constant :EXAMPLES

        def initialize(out)
          @out = out
        end

        def call
          ::File.write(PATH, text, mode: "wx")
          @out.puts "Wrote #{PATH}. Uncomment what you want to change; `raffia serve --check` " \
            "tries it out."
          OK
        rescue Errno::EEXIST
          raise ConfigError, "there is a #{PATH} here already, which is left as it is"
        end

        def text
          sections = Server::Settings.titles.map do |section, title|
            rows = Server::Settings.section(section).reject { |row| row.name == :tls_key }
            words = rows.map { |row| "# #{row.description}\n# #{example(row)}" }
            ["## #{title}", *words].join("\n\n")
          end
          hooks = Server::Hooks::NAMES.map { |name, says| "# #{says}\n# #{name} { }" }
          ["# Settings of `raffia serve`. What is commented out is the default, or an example " \
            "where there is none.", *sections, "## Hooks", *hooks].join("\n\n") << "\n"
        end

        private

        def example(row) = EXAMPLES.fetch(row.name) { "#{row.name} #{row.shown}" }
      end
    end
  end
end
