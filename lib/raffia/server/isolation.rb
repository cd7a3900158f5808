# frozen_string_literal: true

module Raffia
  class Server
    # ActiveSupport's isolation level: where it keeps database connections, `Current` and the time
    # zone. The default is by thread; then requests in fibers would share one connection.
    #
    # @api private
    module Isolation
      FILE = "/active_support/isolated_execution_state.rb"
      private_constant :FILE

      module_function

      # Loads an application whose requests run in fibers. The level is set as soon as ActiveSupport
      # is loaded, so the application's own setting wins.
      def by_fiber
        set_level
        watched = watch unless loaded
        yield
      ensure
        watched&.disable
        set_level
      end

      # Sets the level while nobody has read it: before ActiveSupport or Rails is initialised.
      def set_level
        return unless available?

        if loaded.nil? || (rails && !rails.initialized?)
          ::ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
        end
      end

      # Why fibers would share data of a request; nil: they do not.
      def obstacle
        return unless rails || defined?(::ActiveRecord)
        return "config.active_support.isolation_level is :thread" if pinned?
        return "this version of ActiveSupport keeps it by thread" unless loaded

        unless loaded.isolation_level == :fiber
          "ActiveSupport::IsolatedExecutionState.isolation_level was :thread when the server began"
        end
      end

      def rails? = !rails.nil?

      # Whether requests in fibers would share a locale.
      def shared_locale?
        rails? && defined?(::I18n::Config) && !::I18n::Config.method_defined?(:owned_by?)
      end

      # Size of Active Record's pool; nil: no limit, or no database.
      def connections
        ::ActiveRecord::Base.connection_pool.size if defined?(::ActiveRecord::Base)
      rescue # no database is configured, and versions differ in what they raise then
        nil
      end

      # Watches for the end of ActiveSupport's file. Patching `require` would stay for ever.
      def watch
        watched = ::TracePoint.new(:end) do |point|
          # The file's `class << self` ends before the module sets its default.
          next unless point.path.end_with?(FILE) && point.self.instance_of?(::Module)

          ::ActiveSupport::IsolatedExecutionState.isolation_level = :fiber
          watched.disable
        end
        watched.enable
        watched
      end

      # The loaded module. Does not trigger an autoload.
      def loaded
        return unless available? && ::ActiveSupport.autoload?(:IsolatedExecutionState).nil?

        ::ActiveSupport::IsolatedExecutionState
      end

      def available?
        defined?(::ActiveSupport) && ::ActiveSupport.const_defined?(:IsolatedExecutionState, false)
      end

      def pinned? = rails? && rails.config.active_support.isolation_level == :thread

      def rails = (::Rails.application if defined?(::Rails.application))

      private_class_method :watch, :loaded, :available?, :pinned?, :rails
    end
  end
end
