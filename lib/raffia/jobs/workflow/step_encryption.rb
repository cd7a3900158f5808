# frozen_string_literal: true

module Raffia
  module Jobs
    module Workflow
      # Encrypts arguments of steps. Results among them stay as they are: those of jobs that encrypt
      # are encrypted themselves.
      # @api private
      class StepEncryption
        # Names of steps whose results are among these arguments.
        def self.references(value)
          case value
          when Array then value.flat_map { |one| references(one) }.uniq
          when Hash
            name = value[Store::Workflow::Start::REFERENCE]
            (name && value.size == 1) ? [name] : references(value.values)
          else []
          end
        end

        # `all`: arguments of all steps.
        def initialize(workflow_id, all)
          @id = workflow_id
          @all = all
        end

        def all? = @all

        # Options of a job's class. Raises {ConfigError}.
        def options(job)
          return job.options if job.is_a?(Class) && job.respond_to?(:job_options)

          raise ConfigError, "#{job.inspect} is no job: it needs `include Raffia::Job`"
        end

        # Which arguments a step and its undo encrypt, because the undo gets those of the step:
        # true, positions, or nil for none.
        def of(*jobs, given)
          all = jobs.map { |job| options(job)[:encrypt] }
          all[0] = given[:encrypt] if given.key?(:encrypt)
          all = all.select { |which| which && which != [] }
          return true if @all || all.include?(true)

          all.flatten.uniq unless all.empty?
        end

        # The payload with encrypted arguments; `offset` is the position of the first one.
        def seal(item, step, offset)
          which = item.dig(Payload::OWN, "encrypt") or return item
          args = item["args"].each_with_index.map do |value, index|
            position = index + offset
            next value if result?(value) || !(which == true || which.include?(position))

            check(value, item)
            Encryption::WorkflowValue.seal(value, @id, step, position)
          end
          {**item, "args" => args}
        end

        private

        # Whether it has nothing but results.
        def result?(value)
          return value.any? && value.all? { |one| result?(one) } if value.is_a?(Array)

          value.is_a?(Hash) && value.keys == [Store::Workflow::Start::REFERENCE]
        end

        def check(value, item)
          return if StepEncryption.references(value).empty?

          raise ConfigError, "#{item["class"]} encrypts an argument that has a result in it: " \
            "hand the result over as an argument of its own"
        end
      end
    end
  end
end
