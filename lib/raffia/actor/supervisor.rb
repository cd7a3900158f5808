# frozen_string_literal: true

# Named here first: messages and backtraces show the public name.
Raffia::Supervisor = Class.new(Raffia::Actor)
Raffia::Actor::Supervisor = Raffia::Supervisor

require_relative "supervisor/start_failed"
require_relative "supervisor/gave_up"
require_relative "supervisor/block_actor"
require_relative "supervisor/child_spec"
require_relative "supervisor/spec"
require_relative "supervisor/class_methods"
require_relative "supervisor/child"
require_relative "supervisor/factory"
require_relative "supervisor/children"
require_relative "supervisor/recovery"

module Raffia
  class Actor
    # An actor that starts others, monitors them, and restarts those that fail: under the same ref
    # and name, with the messages that waited. When they fail too often it fails itself, and its own
    # supervisor decides.
    #
    #   class App < Raffia::Supervisor
    #     strategy :one_for_one, intensity: 3, period: 5
    #     child Mailer, "smtp", on: :threads, name: :mailer, restart: :permanent, shutdown: 5
    #     child Reports                                   # another supervisor
    #     child(name: :poller, on: :threads) { loop { poll } }
    #   end
    #
    #   tree = App.spawn(name: :app)
    #   tree.start_child(Mailer, "smtp", restart: :temporary)
    #
    # Children start in their order, and stop in the reverse one. The strategy decides which
    # siblings restart with a child: none (:one_for_one), all (:one_for_all), or those that were
    # started after it (:rest_for_one).
    class Supervisor
      extend ClassMethods

      reentrant :children, :which, :count_children

      # @api private
      def initialize(factory)
        spec = factory.spec
        @children = Children.new(spec.strategy, factory.children(@raffia_core))
        @recovery = Recovery.new(@raffia_core, spec, @children)
      end

      # @api private
      def on_start = @children.start(@raffia_core.label) { |child| keeps?(child) }

      # @api private
      def on_stop(_reason) = @children.stop { |child| keeps?(child) }

      # Starts one more child, after all others. When this supervisor is restarted it is not there
      # any more.
      # @param (see ClassMethods#child)
      # @return [Ref]
      # @raise [Rejected] when the id is taken
      # @raise [Exception] what its `initialize` or `on_start` raised
      def start_child(actor_class = nil, *arguments, **keywords, &block)
        spec = for_caller { ChildSpec.build(actor_class, arguments, keywords, block) }
        if spec.named? && @children[spec.id]
          refuse(Rejected.new("there is a child #{spec.id.inspect} already: delete it, or give " \
            "another id:"))
        end

        child = Child.new(@children.numbered(spec), @raffia_core, dynamic: true)
        for_caller { child.start }
        @children.add(child).ref
      end

      # Ends a child, within the time that it has for that. A temporary one is gone then, others can
      # be restarted by {restart_child}.
      # @param id [Object] or its ref
      # @raise [NotFound]
      def terminate_child(id)
        child = find(id)
        child.terminate(false)
        @children.delete(child) if child.spec.restart == :temporary
        nil
      end

      # Starts a child that has ended, anew and with a new ref.
      # @return [Ref]
      # @raise [NotFound]
      # @raise [Rejected] when it has not ended
      def restart_child(id)
        child = find_ended(id)
        for_caller { child.start }
        child.ref
      end

      # Forgets a child that has ended.
      # @raise [NotFound]
      # @raise [Rejected] when it has not ended
      def delete_child(id)
        @children.delete(find_ended(id))
        nil
      end

      # @return [Array<Ref>] those that live or restart, in the order of their starts
      def children = @children.reject(&:dead?).map(&:ref)

      # @return [Ref, nil] the child with this id, unless it has ended
      def which(id) = @children[id]&.then { |child| child.ref unless child.dead? }

      # @return [Hash{Symbol => Integer}] specs: all that can be restarted; active: those that have
      #   not ended; supervisors:, workers: of them
      def count_children
        active = @children.reject(&:dead?)
        supervisors = active.count { |child| child.spec.supervisor? }
        {specs: @children.count, active: active.size, supervisors: supervisors,
         workers: active.size - supervisors}
      end

      private

      # These two are sent by {ControlMessage}s.
      def child_ended(...) = @recovery.child_ended(...)

      def resume(...) = @recovery.resume(...)

      def find(id)
        @children[id.is_a?(Ref) ? @children.find { |child| child.ref == id }&.spec&.id : id] or
          refuse(NotFound.new("#{@raffia_core.label} has no child #{id.inspect}: it has " \
            "#{@children.map { |child| child.spec.id.inspect }.join(", ")}"))
      end

      def find_ended(id)
        child = find(id)
        return child if child.dead?

        refuse(Rejected.new("the child #{child.spec.id.inspect} has not ended: terminate it first"))
      end

      # An error of the caller does not end the supervisor.
      def for_caller
        yield
      rescue => error
        refuse(error)
      end

      # Whether its children are kept for the object that follows this one.
      def keeps?(child) = @raffia_core.parent&.keeps? && !child.dynamic?
    end
  end
end
