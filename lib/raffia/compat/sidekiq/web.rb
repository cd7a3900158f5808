# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "web_helpers"
require_relative "../../jobs/web"

module Sidekiq
  # Mount point of Sidekiq's pages: Raffia's dashboard of the same jobs. Access is decided by the
  # surrounding application, and by {use}.
  class Web
    # The dashboard, behind the program's middleware.
    #
    # @api private
    class Front
      def initialize
        @before = []
        @back = @app = nil
      end

      # @param middleware [Class] of Rack, made with the app behind it and the arguments
      # @return [void]
      def use(middleware, *arguments, &block)
        @before << [middleware, arguments, block]
        @app = nil
      end

      # @param url [String] that the title links to
      def app_url=(url)
        @back = url
        @app = nil
      end

      # Has no effect: there are no extensions.
      # @return [void]
      def register(extension, *, **)
        Sidekiq.logger.warn("Sidekiq::Web.register(#{extension}) has no effect here: Raffia's " \
          "dashboard has no extensions")
      end
      alias_method :register_extension, :register

      # @return [Array(Integer, Hash, Array<String>)]
      def call(env) = (@app ||= build).call(env)

      private

      def build
        dashboard = Raffia::Jobs::Web.new(auth: :none, back: @back)
        @before.reverse.reduce(dashboard) do |app, (middleware, arguments, block)|
          middleware.new(app, *arguments, &block)
        end
      end
    end

    FRONT = Front.new
    private_constant :FRONT

    # For `run Sidekiq::Web.new`.
    # @param env [Hash] of Rack
    # @return [Array(Integer, Hash, Array<String>)]
    def call(env) = FRONT.call(env)

    class << self
      # @param env [Hash] of Rack
      # @return [Array(Integer, Hash, Array<String>)]
      def call(env) = FRONT.call(env)

      # (see Front#use)
      def use(...) = FRONT.use(...)

      # (see Front#register)
      def register(...) = FRONT.register(...)

      # @param url [String] that the title links to
      def app_url=(url)
        FRONT.app_url = url
      end

      # @yieldparam settings [Front]
      # @return [Front]
      def configure
        yield FRONT if block_given?
        FRONT
      end
    end
  end
end
