# frozen_string_literal: true

require_relative "../execution"

module Raffia
  module Jobs
    module Mapping
      # A block that workers find by its name: a job class, or a method of a module.
      #
      # @api private
      class Reference < Proc
        # "ResizeJob", or "Images.resize".
        attr_reader :name

        def initialize(name)
          super()
          @name = name.dup.freeze
        end

        class << self
          def to_job(job)
            named(job)
            new(job.name) { |*items| job.new.perform(*items) }
          end

          def to_method(owner, method)
            named(owner)
            unless owner.respond_to?(method)
              raise ConfigError, "#{owner} has no public method #{method}"
            end

            new("#{owner.name}.#{method}") { |*items| owner.public_send(method, *items) }
          end

          # Raises {UnknownJob} when this worker has no such name.
          def find(name)
            owner, method = name.split(".", 2)
            return to_job(Execution.job_class(owner)) unless method

            to_method(Object.const_get(owner), method)
          rescue NameError => error
            raise UnknownJob, "this worker knows no #{name} (#{error.message}): require the file " \
              "that has it (raffia work -r FILE)"
          end

          private

          def named(owner)
            owner.name ||
              raise(ConfigError, "#{owner.inspect} has no name, by which workers could find it")
          end
        end
      end
    end
  end
end
