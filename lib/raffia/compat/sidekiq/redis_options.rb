# frozen_string_literal: true

require "uri"
require_relative "../config"

module Sidekiq
  # Converts the options of `config.redis=` to the URL of a store. REDIS_URL completes them.
  #
  # @api private
  class RedisOptions
    ADDRESS = %i[url host port db username password path ssl].freeze
    PARAMETERS = {timeout: "timeout", network_timeout: "timeout", size: "pool"}.freeze
    # Options without effect here.
    IGNORED = %i[driver reconnect_attempts connect_timeout read_timeout write_timeout pool_timeout
      pool_name name id logger protocol custom
      circuit_breaker inherit_socket middlewares].freeze
    private_constant :ADDRESS, :PARAMETERS, :IGNORED

    def initialize(options)
      @options = options.transform_keys(&:to_sym).compact
      unknown = @options.keys - ADDRESS - PARAMETERS.keys - IGNORED - %i[ssl_params]
      if unknown.any?
        raise ArgumentError, "config.redis: #{unknown.join(", ")} mean nothing here: there are " \
          "#{[*ADDRESS, *PARAMETERS.keys, :ssl_params].join(", ")}"
      end
    end

    def ssl_params = @options[:ssl_params]

    def url
      uri = address
      query = [uri.query, *parameters].compact.join("&")
      uri.query = query unless query.empty?
      uri.to_s
    end

    private

    def address
      host, port, db, password, path = @options.values_at(:host, :port, :db, :password, :path)
      uri = URI(@options[:url] || ("unix://#{path}" if path) ||
        Raffia::Compat::Config.load.redis_url || "redis://localhost")
      uri.scheme = "rediss" if @options[:ssl] && uri.scheme == "redis"
      uri.host = host if host
      uri.port = port if port
      if password
        uri.userinfo = credentials(uri).map { |part| URI.encode_uri_component(part.to_s) }.join(":")
      end
      uri.path = "/#{db}" if db && uri.scheme != "unix"
      uri
    end

    # The user may be in the URL, and the password in the options.
    def credentials(uri)
      [@options[:username] || (URI.decode_uri_component(uri.user) if uri.user), @options[:password]]
    end

    # A Unix-domain socket has the database in the query, because the path is the socket's.
    def parameters
      given = PARAMETERS.filter_map do |name, parameter|
        "#{parameter}=#{@options[name]}" if @options[name]
      end
      (address.scheme == "unix" && @options[:db]) ? ["db=#{@options[:db]}", *given] : given
    end
  end
end
