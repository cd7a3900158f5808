# frozen_string_literal: true

require_relative "../../sidekiq"

module Sidekiq
  # Passes ActiveSupport::CurrentAttributes to jobs, in the fields of Sidekiq 8.
  module CurrentAttributes
    # Client middleware that saves the attributes.
    class Save
      # +classes+: names of classes by field.
      def initialize(classes)
        @classes = classes
      end

      def call(_class, job, _queue, _pool)
        @classes.each do |field, name|
          attributes = Object.const_get(name).attributes
          job[field] ||= ::ActiveJob::Arguments.serialize(attributes) if attributes.any?
        end
        yield
      end
    end

    # Server middleware that sets them.
    class Load
      def initialize(classes)
        @classes = classes
      end

      def call(_job, item, _queue, &run)
        @classes.select { |field, _| item.key?(field) }
          .reduce(run) { |inner, (field, name)|
            -> { set(Object.const_get(name), item[field], &inner) }
          }.call
      end

      private

      # Skips attributes that the class no longer has.
      def set(current, saved)
        current.set(::ActiveJob::Arguments.deserialize(saved).to_h
          .select { |name, _| current.respond_to?(:"#{name}=") }) { yield }
      end
    end

    # Takes subclasses of ActiveSupport::CurrentAttributes. Raises NotProvided without Active Job,
    # which serializes the attributes.
    def self.persist(classes, config = Sidekiq.default_configuration)
      unless defined?(::ActiveJob::Arguments)
        raise NotProvided, "Sidekiq::CurrentAttributes writes attributes as Active Job does: " \
          "require \"active_job\" before"
      end

      fields = Array(classes).each_with_index
        .to_h { |name, index| [index.zero? ? "cattr" : "cattr_#{index}", name.to_s] }
      config.client_middleware.add(Save, fields)
      config.server_middleware.prepend(Load, fields)
    end
  end
end
