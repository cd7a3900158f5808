# frozen_string_literal: true

require_relative "job"
require_relative "workflow/deadline_job"
require_relative "workflow/definition"
require_relative "workflow/handle"
require_relative "workflow/open_job"
require_relative "workflow/result"
require_relative "workflow/undo_job"

module Raffia
  module Jobs
    # Jobs as a graph: steps that wait for others, get their results, and are undone when the whole
    # fails.
    #
    #     class OrderFlow
    #       include Raffia::Workflow
    #
    #       def build(order)
    #         job :reserve, ReserveJob, order, undo: ReleaseJob
    #         each :parcel, ParcelJob, from: :reserve        # a job for each element of its result
    #         job :invoice, InvoiceJob, result(:reserve)     # waits for the result
    #         job :report, ReportJob, after: [:parcel, :invoice], on_failure: :run
    #       end
    #     end
    #
    #     flow = OrderFlow.start(7)
    #     flow.state                                         # :running
    #
    # Or without a class:
    #
    #     Raffia::Workflow.new("order-7") { |w| w.job :reserve, ReserveJob, 7 }.start
    #
    # A job sets its result by {Job#return_value}, and reads others by {Job#workflow}. The graph and
    # its first jobs are stored in one step; so are the end of a job and the jobs that begin by it.
    module Workflow
      # Class methods of workflows.
      module ClassMethods
        # Builds the graph and enqueues its first jobs.
        # @param args [Array] of `build`
        # @param id [String, nil] one of its own by default
        # @return [Handle]
        # @raise [ConfigError] for a graph with a cycle, a name twice, or an unknown name
        # @raise [NotUnique] when there is a workflow with this id
        def start(*args, id: nil) = definition(args, id).start

        # @param deadline [Numeric, nil] seconds after which it is cancelled
        # @param limit [Integer, nil] jobs of one workflow that run at a time
        # @param encrypt [Boolean, nil] whether arguments and results of all its steps are
        #   encrypted, and its own arguments when it is a step
        # @return [Hash]
        def options(deadline: nil, limit: nil, encrypt: nil)
          given = {deadline: deadline, limit: limit, encrypt: encrypt}.compact
          @raffia_workflow_options = (@raffia_workflow_options || {}).merge(given)
        end

        # @api private
        def definition(args, id)
          Definition.new(id, name: name, **options) do |definition|
            new.tap { |one| one.instance_variable_set(:@raffia_definition, definition) }
              .build(*args)
          end
        end
      end

      class << self
        # @api private
        def included(workflow) = workflow.extend(ClassMethods)

        # @param id [String, nil] one of its own by default
        # @param options [Hash] see {ClassMethods#options}
        # @yieldparam definition [Definition]
        # @return [Definition] which {Definition#start} enqueues
        def new(id = nil, **options, &) = Definition.new(id, **options, &)

        # @return [Handle, nil]
        def find(id, store: Setup.current.store) = (Handle.new(id, store) if store.workflow(id))

        # @return [Array<Hash>] newest first, see {Store::Workflows#workflows}
        def list(offset: 0, limit: 50, store: Setup.current.store)
          store.workflows(offset: offset, limit: limit)
        end
      end

      # Adds a step: see {Definition#job}.
      def job(...) = @raffia_definition.job(...)

      # Adds a step for each element of a result: see {Definition#each}.
      def each(...) = @raffia_definition.each(...)

      # Adds a workflow as a step: see {Definition#flow}.
      def flow(...) = @raffia_definition.flow(...)

      # Names several steps: see {Definition#group}.
      def group(...) = @raffia_definition.group(...)

      # The result of a step as an argument: see {Definition#result}.
      def result(name) = @raffia_definition.result(name)
    end
  end

  # The public name of {Jobs::Workflow}.
  Workflow = Jobs::Workflow
end
