# frozen_string_literal: true

require "uri"
require_relative "options"
require_relative "application"
require_relative "hooks"

module Raffia
  class Server
    # Reads raffia.rb: a Ruby file that sets options, names the application and adds hooks.
    #
    #     bind "unix:///run/app.sock", mode: "0660"
    #     processes 4
    #     request_timeout 30
    #     after_fork { |index| ActiveRecord::Base.establish_connection }
    #
    # Its words are the rows of {Settings}, the hooks of {Hooks::NAMES}, `rackup` and `app`.
    #
    # @api private
    class ConfigFile
      PLACES = %w[config/raffia.rb raffia.rb].freeze

      def self.find = PLACES.find { |path| ::File.exist?(path) }

      # Raises ConfigError with the line, or what the file raises.
      def self.read(path)
        raise NotFound.new(name: path) unless ::File.file?(path)

        file = new(path)
        DSL.new(file).instance_eval(::File.read(path), path, 1)
        file
      end

      attr_reader :path, :given, :hooks
      attr_accessor :application

      def initialize(path)
        @path = path
        @given = {}
        @hooks = Hooks.new
      end

      def set(name, value)
        row = Settings[name]
        read = row.read(value)
        row.list? ? (given[row.name] ||= []).concat(read) : given[row.name] = read
      end

      # The methods of the file, besides those of Ruby itself.
      class DSL
        def initialize(file)
          @file = file
        end

        Settings.each do |row|
          define_method(row.name) { |*values, **parameters| at { set(row, values, parameters) } }
        end

        Hooks::NAMES.each_key do |name|
          define_method(name) { |&block| at { @file.hooks.add(name, &block) } }
        end

        def rackup(path) = at { @file.application = Application.at(path) }

        def app(app = nil, &block) = at { @file.application = Application.of(app || block) }

        # Takes a certificate and its key, or a value of the option.
        def tls(*words)
          return at { set(Settings[:tls], words, {}) } unless words.size == 2

          tls_cert(words.first)
          tls_key(words.last)
        end

        # Takes codings, and what the further settings of compression say.
        def compress(*codings, min: nil, types: nil, jitter: nil)
          at { set(Settings[:compress], codings, {}) }
          compress_min(min) if min
          compress_types(*types) if types
          compress_jitter(jitter) if jitter
        end

        # Takes statuses and a file, or a value of the option.
        def error_page(*statuses, path)
          pages = statuses.empty? ? [path] : statuses.map { |status| "#{status}=#{path}" }
          at { set(Settings[:error_page], pages, {}) }
        end

        private

        def set(row, values, parameters)
          values = [true] if values.empty? && row.flag?
          raise ConfigError, "#{row.name} needs a value" if values.empty?
          raise ConfigError, "#{row.name} takes one value" unless row.list? || values.size == 1

          query = ::URI.encode_www_form(parameters)
          unless query.empty?
            values = values.map { |value| "#{value}#{value.include?("?") ? "&" : "?"}#{query}" }
          end
          @file.set(row.name, row.list? ? values.flatten : values.first)
        end

        def method_missing(name, ...)
          at do
            words = self.class.public_instance_methods(false)
            raise ConfigError, "there is no word #{name}#{Service::Settings.guess(name, words)}"
          end
        end

        def respond_to_missing?(...) = false

        def at
          yield
        rescue ConfigError, NotFound => error
          line = caller_locations.find { |location| location.path == @file.path }&.lineno
          raise ConfigError, "#{@file.path}:#{line}: #{error.message}"
        end
      end
      private_constant :DSL
    end
  end
end
