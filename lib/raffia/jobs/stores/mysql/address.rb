# frozen_string_literal: true

require "digest"
require "tmpdir"
require "uri"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Options of the store in an address such as
        # `mysql://app:secret@db.example.org:3306/app?pool=10`.
        #
        # * socket: path of the server's Unix socket, instead of a host
        # * prefix: of the tables' names (raffia_)
        # * pool: most connections of a process (5)
        # * look: seconds between two polls while there is nothing to do (1)
        # * connect_timeout, read_timeout: seconds until a server that does not answer is an error
        #   (5, 15)
        # * ssl_mode (disabled, preferred, required, verify_ca, verify_identity), ssl_ca, ssl_cert,
        #   ssl_key
        # @api private
        Address = Data.define(:connection, :url, :prefix, :pool, :look, :ssl_mode)

        class Address
          NUMBER = /\A(?=.*[1-9])\d+(\.\d+)?\z/
          SSL_MODES = %w[disabled preferred required verify_ca verify_identity].freeze
          # Patterns, and descriptions for messages.
          RULES = {
            "socket" => [%r{\A/.}, "the path of a Unix socket"],
            "prefix" => [/\A[a-z][a-z0-9_]{0,30}\z/,
              "a name of at most 31 small letters, digits and _"],
            "pool" => [/\A[1-9]\d{0,3}\z/, "a number from 1 up"],
            "look" => [NUMBER, "seconds"], "connect_timeout" => [NUMBER, "seconds"],
            "read_timeout" => [NUMBER, "seconds"],
            "ssl_mode" => [/\A(#{SSL_MODES.join("|")})\z/, "one of #{SSL_MODES.join(", ")}"],
            "ssl_ca" => [/./, "a file"], "ssl_cert" => [/./, "a file"], "ssl_key" => [/./, "a file"]
          }.each_value(&:freeze).freeze
          # Options with a file, and the modes that use it.
          FILES = {"ssl_ca" => SSL_MODES.last(2), "ssl_cert" => SSL_MODES.drop(1),
                   "ssl_key" => SSL_MODES.drop(1)}.freeze
          # Keepalive finds out that a host has gone.
          DEFAULTS = {keepalive_enabled: true, keepalive_idle: 30, keepalive_interval: 10,
                      keepalive_count: 3, found_rows: true, multi_statement: true,
                      connect_timeout: 5.0, read_timeout: 15.0, write_timeout: 15.0}.freeze
          FORM = %r{
            \A[a-z]+://
            (?:(?<user>[^:@/\s]*)(?::(?<password>[^:@/\s]*))?@)?
            (?<host>\[[\h:.%]*\]|[^:@/,\[\s]*)(?::(?<port>\d+))?
            /(?<database>[^@/\s]+)\z
          }x
          UNREADABLE = "the address of the mysql store cannot be read: write it as " \
            "mysql://user:password@host:port/database, with % codes for what is special in " \
            "user and password (%40 for @)"
          private_constant :NUMBER, :FILES

          class << self
            # Options win over the address.
            def parse(url, **options)
              base, query = url.split("?", 2)
              parts = FORM.match(base) or raise ConfigError, UNREADABLE
              given = URI.decode_www_form(query.to_s).to_h
              options = given.merge(options.transform_keys(&:to_s)).transform_values(&:to_s)
              options.each do |name, value|
                Store::Address.check_option("mysql", RULES, name, value)
              end
              check_tls(options)
              new(connection: connection(parts, options),
                url: Store::Address.shown_with_user(base, query),
                prefix: options.fetch("prefix", "raffia_"), pool: options.fetch("pool", 5).to_i,
                look: options.fetch("look", 1).to_f, ssl_mode: options["ssl_mode"])
            rescue ArgumentError
              raise ConfigError, UNREADABLE
            end

            private

            # A file that is not used would let people believe that the server is verified.
            def check_tls(options)
              FILES.each do |name, modes|
                file = options[name] or next
                unless modes.include?(options["ssl_mode"])
                  raise ConfigError, "#{name} of the mysql store has no effect without ssl_mode=" \
                    "#{modes.join(" or ")}"
                end
                next if File.readable?(file)

                raise ConfigError, "#{name} of the mysql store: #{file} cannot be read: check " \
                  "the path and its permissions"
              end
            end

            # For the driver.
            def connection(parts, options)
              {**DEFAULTS, **place(parts, options), **credentials(parts), **timeouts(options),
               **options.slice("ssl_ca", "ssl_cert", "ssl_key").transform_keys(&:to_sym)}
            end

            def place(parts, options)
              return {socket: options["socket"]} if options["socket"]

              host = parts[:host].delete("[]")
              {host: host.empty? ? "127.0.0.1" : host, port: (parts[:port] || 3306).to_i}
            end

            def credentials(parts)
              {username: parts[:user], password: parts[:password], database: parts[:database]}
                .compact.transform_values { |value| URI.decode_uri_component(value) }
            end

            def timeouts(options)
              options.slice("connect_timeout", "read_timeout")
                .to_h { |name, value| [name.to_sym, value.to_f] }
            end
          end

          # The folder for sockets of processes of this machine and user: all with this database.
          def sockets
            place = connection.values_at(:socket, :host, :port, :database).push(prefix).join("/")
            File.join(Dir.tmpdir,
              "raffia-#{::Process.uid}-#{Digest::SHA256.hexdigest(place)[0, 16]}")
          end

          # Only the driver sees the password.
          def inspect = "#<#{self.class} #{url}>"
        end
      end
    end
  end
end
