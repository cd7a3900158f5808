# frozen_string_literal: true

require_relative "graph"
require_relative "step_builder"

module Raffia
  module Jobs
    module Workflow
      # Collects the steps of a workflow, and starts it.
      class Definition
        # Ids and names of steps.
        ID = /\A[\w:.-]{1,200}\z/
        NAME = /\A[a-zA-Z_][\w-]{0,99}\z/
        private_constant :ID, :NAME

        # @return [String]
        attr_reader :id

        # @param id [String, nil]
        # @param name [String, nil] of the class
        # @param deadline [Numeric, nil] seconds after which it is cancelled
        # @param limit [Integer, nil] jobs that run at a time
        # @param encrypt [Boolean] whether arguments and results of all steps are encrypted
        def initialize(id = nil, name: nil, deadline: nil, limit: nil, encrypt: false)
          unless id.nil? || ID.match?(id)
            raise ConfigError, "#{id.inspect} cannot be the id of a workflow: use up to 200 " \
              "letters, digits and _ : . -"
          end

          check_options(deadline, limit)
          @id = id || Payload.id
          @name = name
          @deadline = deadline
          @builder = StepBuilder.new(@id, limit, encrypt)
          @graph = Graph.new(@id)
          yield self if block_given?
        end

        # A step that is one job.
        # @param name [Symbol, String]
        # @param job [Class]
        # @param args [Array] of its `perform`; {#result} stands for the result of another step
        # @param after [Symbol, Array<Symbol>] steps and groups that it waits for
        # @param undo [Class, nil] job with the same arguments, which runs when the workflow fails
        # @param on_failure [Symbol] after a failed predecessor :skip this one, or :run it
        # @param options [Hash] see {Job::Enqueue#set}
        # @raise [ConfigError, BadArguments]
        def job(name, job, *args, after: [], undo: nil, on_failure: :skip, **options)
          add(name, "job", @builder.job(name, job, args, options, undo), after, on_failure)
        end

        # A job for each element of a result, which is its first argument. The step's own result is
        # the list of theirs.
        # @param args [Array] further ones
        # @param from [Symbol] step whose result is a list
        # @param (see #job)
        def each(name, job, *args, from:, after: [], undo: nil, on_failure: :skip, **options)
          node = @builder.job(name, job, args, options, undo, dynamic: true)
          add(name, "each", {**node, "from" => from.to_s}, after, on_failure)
        end

        # A workflow as a step. It is built when its turn has come.
        # @param workflow [Class]
        # @param args [Array] of its `build`
        # @param (see #job)
        def flow(name, workflow, *args, after: [], on_failure: :skip)
          add(name, "flow", @builder.flow(name, workflow, args), after, on_failure)
        end

        # Steps with a common name, for `after`.
        # @param after [Symbol, Array<Symbol>] that all of them wait for
        # @yield adds the steps
        def group(name, after: [], &) = @graph.group(check(name), after, &)

        # @param name [Symbol] of a step
        # @return [Hash] an argument that stands for its result; the step with it waits for it
        def result(name) = {Store::Workflow::Start::REFERENCE => name.to_s}

        # Stores the graph and enqueues its first jobs, in one step.
        # @param parent [Array(String, String), nil] workflow and step that end with it
        # @param opener [String, nil] id of the job that opens it as a sub-workflow
        # @return [Handle]
        # @raise [ConfigError] for a graph with a cycle or an unknown name
        # @raise [NotUnique] when there is a workflow with this id
        def start(parent: nil, opener: nil)
          nodes = @graph.nodes
          store = Setup.current.client.store
          opened = store.open_workflow(@id, nodes, about: about(opener), drafts: drafts,
            parent: parent)
          return Handle.new(@id, store) if opened || parent

          raise NotUnique.new("there is a workflow #{@id} already: find it by " \
            "Raffia::Workflow.find(#{@id.inspect})", key: @id)
        end

        private

        def add(name, kind, node, after, on_failure)
          unless %i[skip run].include?(on_failure)
            raise ConfigError, "on_failure of step #{name} must be :skip or :run, not " \
              "#{on_failure.inspect}"
          end

          node["on_failure"] = "run" if on_failure == :run
          @graph.add(check(name), kind, node, after)
          self
        end

        def check(name)
          return name.to_s if NAME.match?(name.to_s)

          raise ConfigError, "#{name.inspect} cannot be the name of a step: use letters, digits, " \
            "_ and -"
        end

        def check_options(deadline, limit)
          seconds = deadline.nil? ? 1 : deadline
          if !seconds.is_a?(Numeric) || !seconds.positive? || !seconds.to_f.finite?
            raise ConfigError, "deadline must be seconds above 0, not #{deadline.inspect}"
          end
          return if limit.nil? || (limit.is_a?(Integer) && limit.positive?)

          raise ConfigError, "limit must be a whole number above 0, not #{limit.inspect}"
        end

        def about(opener)
          {"class" => @name, "deadline" => deadline_at, "opener" => opener}.compact
        end

        def deadline_at = @deadline && (@deadline_at ||= Time.now.to_f + @deadline)

        # The deadline is a job that is due then.
        def drafts
          return [] unless @deadline

          [Draft.of(Client::PayloadBuilder.build({"class" => DeadlineJob.name, "args" => [@id],
            "at" => deadline_at}))]
        end
      end
    end
  end
end
