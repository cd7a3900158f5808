# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "../../jobs/web"

module Sidekiq
  # Constants that pages of other gems expect. Those pages are loaded, but not shown.
  module WebHelpers
    # A list that ignores what is pushed.
    class NullList
      def push(*) = self
      alias_method :<<, :push
    end
    SAFE_QPARAMS = NullList.new.freeze
  end

  # Raffia's dashboard in the place of Sidekiq's pages. The surrounding application and {use} decide
  # about access.
  class Web
    # The dashboard, behind the program's middleware.
    #
    # @api private
    class Front
      def initialize
        @before = []
        @back = @app = nil
      end

      def use(middleware, *arguments, &block)
        @before << [middleware, arguments, block]
        @app = nil
      end

      def app_url=(url)
        @back = url
        @app = nil
      end

      # Has no effect, because the dashboard has no extensions.
      def register(extension, *, **)
        Sidekiq.logger.warn("Sidekiq::Web.register(#{extension}) has no effect here: Raffia's " \
          "dashboard has no extensions")
      end
      alias_method :register_extension, :register

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

    # Serves `run Sidekiq::Web.new`.
    def call(env) = FRONT.call(env)

    class << self
      def call(env) = FRONT.call(env)

      def use(...) = FRONT.use(...)

      def register(...) = FRONT.register(...)

      def app_url=(url)
        FRONT.app_url = url
      end

      def configure
        yield FRONT if block_given?
        FRONT
      end
    end
  end
end
