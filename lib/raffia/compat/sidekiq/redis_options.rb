# frozen_string_literal: true

require "uri"
require_relative "../config"

module Sidekiq
  # Converts the options of `config.redis=` to the address of a store. REDIS_URL completes them.
  #
  # @api private
  class RedisOptions
    # Parts of the address, and of its query.
    ADDRESS = %i[url host port db username password path ssl].freeze
    PARAMETERS = {timeout: "timeout", network_timeout: "timeout", size: "pool"}.freeze
    # Options of connections that have no effect here.
    IGNORED = %i[driver reconnect_attempts connect_timeout read_timeout write_timeout pool_timeout
      pool_name name id logger protocol custom
      circuit_breaker inherit_socket middlewares].freeze
    private_constant :ADDRESS, :PARAMETERS, :IGNORED

    # @param options [Hash]
    # @raise [ArgumentError] for an option that would lead to another Redis
    def initialize(options)
      @options = options.transform_keys(&:to_sym).compact
      odd = @options.keys - ADDRESS - PARAMETERS.keys - IGNORED - %i[ssl_params]
      if odd.any?
        raise ArgumentError, "config.redis: #{odd.join(", ")} mean nothing here: there are " \
          "#{[*ADDRESS, *PARAMETERS.keys, :ssl_params].join(", ")}"
      end
    end

    # @return [Hash, nil]
    def ssl_params = @options[:ssl_params]

    # @return [String]
    def url
      uri = address
      query = [uri.query, *parameters].compact.join("&")
      uri.query = query unless query.empty?
      uri.to_s
    end

    private

    def address
      host, port, db, password, path = @options.values_at(:host, :port, :db, :password, :path)
      uri = URI(@options[:url] ||
        (path ? "unix://#{path}" : Raffia::Compat::Config.load.redis_url || "redis://localhost"))
      uri.scheme = "rediss" if @options[:ssl] && uri.scheme == "redis"
      uri.host = host if host
      uri.port = port if port
      if password
        uri.userinfo = credentials(uri).map { |part| URI.encode_uri_component(part.to_s) }.join(":")
      end
      uri.path = "/#{db}" if db && uri.scheme != "unix"
      uri
    end

    # The user may be in the address, and the password here.
    def credentials(uri)
      [@options[:username] || (URI.decode_uri_component(uri.user) if uri.user), @options[:password]]
    end

    # The path of a socket has no database.
    def parameters
      given = PARAMETERS.filter_map do |name, parameter|
        "#{parameter}=#{@options[name]}" if @options[name]
      end
      (address.scheme == "unix" && @options[:db]) ? ["db=#{@options[:db]}", *given] : given
    end
  end
end
