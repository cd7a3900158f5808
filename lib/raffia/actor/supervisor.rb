# frozen_string_literal: true

module Raffia
  # An actor that starts others, watches them, and puts fresh objects in the place of those that
  # fail: under the same ref and name, with the messages that waited. When they fail too often it
  # fails itself, and its own supervisor decides.
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
  # Its children are started in their order, and stopped in the reverse one. Strategies say what
  # becomes of the others when one has ended and is to be restarted: nothing (:one_for_one), all of
  # them are restarted (:one_for_all), those that were started after it are (:rest_for_one).
  class Supervisor < Actor
  end
end

require_relative "supervisor/errors"
require_relative "supervisor/notice"
require_relative "supervisor/work"
require_relative "supervisor/spec"
require_relative "supervisor/plan"
require_relative "supervisor/words"
require_relative "supervisor/child"
require_relative "supervisor/blueprint"
require_relative "supervisor/restarts"
require_relative "supervisor/family"
require_relative "supervisor/reviving"

module Raffia
  class Supervisor
    extend Words
    include Reviving

    reentrant :children, :which, :count_children

    # @param blueprint [Blueprint]
    # @api private
    def initialize(blueprint)
      @plan = blueprint.plan
      @restarts = Restarts.new(@plan.intensity, @plan.period)
      @family = Family.new(@plan.strategy, blueprint.children(@raffia_core))
    end

    # @return [void]
    # @raise [StartFailed]
    # @api private
    def on_start = @family.start(@raffia_core.label) { |child| keeps?(child) }

    # @return [void]
    # @api private
    def on_stop(_reason) = @family.stop { |child| keeps?(child) }

    # Starts one more child, after all others. When this supervisor is restarted it is not there any
    # more.
    # @param (see Words#child)
    # @return [Ref]
    # @raise [Rejected] when the id is taken
    # @raise [Exception] what its `initialize` or `on_start` raised
    def start_child(actor_class = nil, *arguments, **keywords, &block)
      spec = for_caller { Spec.build(actor_class, arguments, keywords, block) }
      if spec.named? && @family[spec.id]
        refuse(Rejected.new("there is a child #{spec.id.inspect} already: delete it, or give " \
          "another id:"))
      end

      child = Child.new(@family.numbered(spec), @raffia_core, dynamic: true)
      for_caller { child.start }
      @family.add(child).ref
    end

    # Ends a child, within the time that it has for that. A temporary one is gone then, others can
    # be restarted by {restart_child}.
    # @param id [Object] or its ref
    # @return [void]
    # @raise [NotFound]
    def terminate_child(id)
      child = find(id)
      child.terminate(false)
      @family.delete(child) if child.spec.restart == :temporary
      nil
    end

    # Starts a child that has ended, anew and with a new ref.
    # @return [Ref]
    # @raise [NotFound]
    # @raise [Rejected] when it has not ended
    def restart_child(id)
      child = find(id)
      unless child.dead?
        refuse(Rejected.new("the child #{child.spec.id.inspect} has not ended: terminate it first"))
      end
      for_caller { child.start }
      child.ref
    end

    # Forgets a child that has ended.
    # @return [void]
    # @raise [NotFound]
    # @raise [Rejected] when it has not ended
    def delete_child(id)
      child = find(id)
      unless child.dead?
        refuse(Rejected.new("the child #{child.spec.id.inspect} has not ended: terminate it first"))
      end
      @family.delete(child)
      nil
    end

    # @return [Array<Ref>] those that have not ended for good, in the order of their starts
    def children = @family.reject(&:dead?).map(&:ref)

    # @return [Ref, nil] the child with this id, unless it has ended
    def which(id) = @family[id]&.then { |child| child.ref unless child.dead? }

    # @return [Hash{Symbol => Integer}] specs: all that can be restarted; active: those that have
    #   not ended; supervisors:, workers: of them
    def count_children
      active = @family.reject(&:dead?)
      supervisors = active.count { |child| child.spec.supervisor? }
      {specs: @family.count, active: active.size, supervisors: supervisors,
       workers: active.size - supervisors}
    end

    private

    def find(id)
      @family[id.is_a?(Ref) ? @family.find { |child| child.ref == id }&.spec&.id : id] or
        refuse(NotFound.new("#{@raffia_core.label} has no child #{id.inspect}: it has " \
          "#{@family.map { |child| child.spec.id.inspect }.join(", ")}"))
    end

    # What goes wrong here is no reason to end.
    def for_caller
      yield
    rescue => error
      refuse(error)
    end

    # Whether its children are kept for the object that follows this one.
    def keeps?(child) = @raffia_core.parent&.keeps? && !child.dynamic?
  end
end
