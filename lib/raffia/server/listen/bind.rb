# frozen_string_literal: true

require "did_you_mean"
require "uri"

module Raffia
  class Server
    module Listen
      # The address of a listener, parsed:
      #
      #     tcp://0.0.0.0:9292    tcp://[::]:9292 (IPv4 too)    tcp://localhost:0 (any port)
      #     ssl://HOST:PORT?cert=FILE&key=FILE    unix:///run/app.sock?mode=0660
      #     unix://relative.sock    fd://3    systemd:    systemd:NAME
      #
      # `host` has no brackets. `port` 0 is any free one. `path` names a Unix socket or inherited
      # sockets. `params` has an Array of Strings for each name.
      #
      # @api private
      class Bind < ::Data.define(:scheme, :host, :port, :path, :params)
        SCHEMES = {"tcp" => "tcp", "http" => "tcp", "ssl" => "ssl", "https" => "ssl",
                   "tls" => "ssl",
                   "unix" => "unix", "fd" => "fd", "systemd" => "systemd"}.freeze
        network = %r{\A(?<host>\[[0-9a-fA-F:.%a-z]+\]|[^:/\[\]]*):(?<port>\d+)/?\z}
        PATTERNS = {
          "tcp" => network, "ssl" => network, "unix" => /\A(?<path>.+)\z/,
          "fd" => /\A(?<path>\d+)\z/,
          "systemd" => /\A(?<path>.*)\z/
        }.freeze
        ADVICE = "use tcp://HOST:PORT, ssl://HOST:PORT, unix:///PATH, fd://N or systemd:NAME"
        private_constant :PATTERNS, :ADVICE

        # Parameters after the question mark. Those of TLS are the options' names without `tls_`.
        PARAMETERS = %w[backlog reuse_port proxy mode umask cert key ca verify min ciphers
          self_signed].freeze
        private_constant :PARAMETERS

        def self.parse(text)
          address, _, query = text.to_s.partition("?")
          scheme, rest = address.match(%r{\A([a-z]+):(?://)?(.*)\z})&.captures
          scheme, rest = "tcp", address if scheme.nil? || !SCHEMES.key?(scheme)
          place = PATTERNS[SCHEMES.fetch(scheme)].match(rest)
          raise ConfigError, "bind #{text} is no address: #{ADVICE}" unless place

          build(text, SCHEMES.fetch(scheme), place.named_captures(symbolize_names: true),
            parameters(text, query))
        end

        def self.parameters(text, query)
          ::URI.decode_www_form(query).each_with_object({}) do |(name, value), params|
            unknown(text, name) unless PARAMETERS.include?(name)
            (params[name.to_sym] ||= []) << value
          end
        end
        private_class_method :parameters

        def self.unknown(text, name)
          guess = DidYouMean::SpellChecker.new(dictionary: PARAMETERS).correct(name).first
          raise ConfigError, "bind #{text}: there is no parameter " \
            "#{name}#{", did you mean #{guess}" if guess}; there are #{PARAMETERS.join(", ")}"
        end
        private_class_method :unknown

        def self.build(text, scheme, place, params)
          port = place[:port]&.to_i
          raise ConfigError, "bind #{text}: a port is at most 65535" if port && port > 65_535

          scheme = "ssl" if scheme == "tcp" && (params.key?(:cert) || params.key?(:self_signed))
          ::Ractor.make_shareable(new(scheme:, host: host(place[:host]), port:, path: place[:path],
            params:))
        end
        private_class_method :build

        # An empty host and * mean all addresses.
        def self.host(text) = text && ((text.empty? || text == "*") ? "::" : text.delete("[]"))
        private_class_method :host

        def tls? = scheme == "ssl" || params.key?(:cert) || params.key?(:self_signed)

        # Whether each worker may have its own socket.
        def tcp? = scheme == "tcp" || scheme == "ssl"

        # Whether the name means this machine, on IPv4 and IPv6.
        def local? = host == "localhost"

        # Whether a proxy in front sends the PROXY protocol.
        def proxy? = params.key?(:proxy) && params[:proxy].last != "0"

        def param(name) = params[name]&.last

        def to_s
          case scheme
          when "tcp", "ssl" then "#{scheme}://#{host.include?(":") ? "[#{host}]" : host}:#{port}"
          when "unix" then "unix://#{path}"
          when "fd" then "fd://#{path}"
          else "systemd:#{path}"
          end
        end
      end
    end
  end
end
