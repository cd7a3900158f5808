# frozen_string_literal: true

module Raffia
  class Server
    # ActiveSupport's setting for what belongs to a request: connections of Active Record,
    # `Current`, the time zone. It is kept by thread unless something else is said, and then the
    # requests of one thread share a connection, transactions and all.
    #
    # @api private
    module Isolation
      # ActiveSupport's file that has it.
      FILE = "/active_support/isolated_execution_state.rb"
      private_constant :FILE

      module_function

      # Loads an application whose requests run in fibers. ActiveSupport learns so as soon as it is
      # there, hence before the application says anything: what that says counts more.
      # @return [Object] the block's value
      def by_fiber
        claim
        watched = watch unless loaded
        yield
      ensure
        watched&.disable
        claim
      end

      # Sets it where nobody has used it yet: because it is still to be loaded, or because Rails is
      # still to be initialised.
      def claim
        unless defined?(::ActiveSupport) &&
            ::ActiveSupport.const_defined?(:IsolatedExecutionState, false)
          return
        end

        if loaded.nil? || (rails && !rails.initialized?)
          ::ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
        end
      end

      # @return [String, nil] why fibers would share what belongs to one request, in words
      def obstacle
        return unless rails || defined?(::ActiveRecord)
        return "config.active_support.isolation_level is :thread" if pinned?
        return "this version of ActiveSupport keeps it by thread" unless loaded

        unless loaded.isolation_level == :fiber
          "ActiveSupport::IsolatedExecutionState.isolation_level was :thread when the server began"
        end
      end

      # @return [Boolean] whether an application of Rails is there
      def rails? = !rails.nil?

      # @return [Boolean] whether requests would share a locale
      def shared_locale?
        rails? && defined?(::I18n::Config) && !::I18n::Config.method_defined?(:owned_by?)
      end

      # @return [Integer, nil] how many requests may be at the database at once; nil: any number, or
      #   there is none
      def connections
        ::ActiveRecord::Base.connection_pool.size if defined?(::ActiveRecord::Base)
      rescue # no database is configured, and versions differ in what they raise then
        nil
      end

      # A monkey patch of `require` would see it too; this one is gone as soon as it has.
      def watch
        watched = ::TracePoint.new(:end) do |point|
          # The end of `class << self` in it comes before what the module says last: its default.
          next unless point.path.end_with?(FILE) && point.self.instance_of?(::Module)

          ::ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
          watched.disable
        end
        watched.enable
        watched
      end

      # @return [Module, nil] what is loaded, not what an autoload would bring
      def loaded
        unless defined?(::ActiveSupport) &&
            ::ActiveSupport.const_defined?(:IsolatedExecutionState, false)
          return
        end

        if ::ActiveSupport.autoload?(:IsolatedExecutionState).nil?
          ::ActiveSupport::IsolatedExecutionState
        end
      end

      def pinned? = rails? && rails.config.active_support.isolation_level == :thread

      def rails = (::Rails.application if defined?(::Rails.application))

      private_class_method :watch, :loaded, :pinned?, :rails
    end
  end
end
