# frozen_string_literal: true

require_relative "supervisor_case"

# Which child is restarted, with which others, and when a supervisor gives up.
class ActorSupervisorTest < ActorSupervisorCase
  GROUPS = {one_for_one: %i[b], one_for_all: %i[a b c], rest_for_one: %i[b c]}.freeze
  ENDS = {
    error: ->(ref) { ref.boom rescue nil }, # standard:disable Style/RescueModifier
    killed: ->(ref) { ref.kill },
    normal: ->(ref) { ref.leave },
    shutdown: ->(ref) { ref.leave(:shutdown) }
  }.freeze
  AGAIN = {permanent: %i[error killed normal shutdown], transient: %i[error killed],
           temporary: []}.freeze

  def test_children_start_in_their_order_and_stop_in_the_reverse_one
    tree = witnesses(:a, :b, :c)

    assert_equal([[:start, :a], [:start, :b], [:start, :c]], said)
    tree.stop

    assert(tree.join(PATIENCE))
    assert_equal([[:stop, :c, :shutdown], [:stop, :b, :shutdown], [:stop, :a, :shutdown]], said)
    assert_empty(%i[a b c] & Raffia::Actor.names)
  end

  GROUPS.each do |strategy, group|
    AGAIN.each do |restart, ends|
      ENDS.each do |how, act|
        EXECUTORS.each do |place|
          define_method(:"test_#{strategy}_of_#{restart}_children_after_#{how}_on_#{place}") do
            tree = tree(strategy: strategy, intensity: 100) do |s|
              %i[a b c].each do |id|
                s.child(Witness, id, @journal, name: id, restart: (id == :b) ? restart : :permanent,
                  on: place)
              end
            end
            hear(3)
            refs = tree.children
            act.call(Raffia::Actor[:b])
            again = ends.include?(how) ? group : []
            wait_until("the end of b, and what follows") do
              (@starts ||= []).concat(said.filter_map { |what, id| id if what == :start })
                .size >= again.size && (again.any? || Raffia::Actor[:b].nil?)
            end
            settled(tree)

            assert_equal(again, @starts)
            left = again.empty? ? refs.values_at(0, 2) : refs

            assert_equal(left, tree.children)
            assert_equal(left.map(&:name), left.map { |ref| Raffia::Actor[ref.name]&.name })
            assert_equal([1] * left.size, left.map(&:count))
          end
        end
      end
    end
  end

  def test_messages_that_wait_are_done_by_the_next_object
    witnesses(:a, on: :threads)
    ref = Raffia::Actor[:a]
    entered, gate = Thread::Queue.new, Thread::Queue.new
    ref.async.hold(entered, gate)
    entered.pop
    ref.async.boom
    counts = Array.new(3) { ref.future.count }
    gate << true

    assert_equal([1, 2, 3], counts.map(&:value))
    assert_equal(1, ref.stats[:restarts])
  end

  def test_siblings_that_are_restarted_keep_their_messages
    witnesses(:a, :b, strategy: :one_for_all, on: :threads)
    a, b = Raffia::Actor[:a], Raffia::Actor[:b]
    entered, gate = Thread::Queue.new, Thread::Queue.new
    held = a.future.hold(entered, gate)
    entered.pop
    counts = Array.new(2) { a.future.count }
    assert_raises(RuntimeError) { b.boom }
    gate << :done

    assert_equal(:done, held.value)
    assert_equal([1, 2], counts.map(&:value))
    assert_equal(1, b.count)
    assert_equal([1, 1], [a, b].map { |ref| ref.stats[:restarts] })
  end

  # Says why it has begun again, and may fail of that.
  class Reborn < Witness
    def on_restart(reason)
      @journal << [:restart, @id, reason.is_a?(Exception) ? reason.message : reason]
      raise "#{@id} does not come back" if @fails&.pop == :on_restart
    end
  end

  def test_on_restart_gets_the_reason_of_the_last_end
    EXECUTORS.each do |place|
      tree(strategy: :one_for_all, intensity: 100) do |s|
        %i[a b].each { |id| s.child(Reborn, id, @journal, name: id, on: place) }
      end
      assert_equal([[:start, :a], [:start, :b]], said)
      a, b = Raffia::Actor[:a], Raffia::Actor[:b]
      assert_raises(RuntimeError) { a.boom }
      assert_equal([1, 1], [a.count, b.count])

      assert_equal([[:stop, :a, "boom"], [:stop, :b, :shutdown], [:start, :a],
        [:restart, :a, "boom"], [:start, :b], [:restart, :b, :shutdown]], said)
      assert_raises(NoMethodError) { a.on_restart(:now) }
      @trees.pop.then { |tree| tree.stop && tree.join(PATIENCE) }
      said
    end
  end

  def test_an_actor_whose_on_restart_fails_is_restarted_again
    fails = []
    tree(intensity: 100) { |s| s.child(Reborn, :a, @journal, fails: fails, name: :a) }
    a = Raffia::Actor[:a]
    fails.push(:nothing, :nothing, :on_restart, :nothing) # the last one first
    assert_raises(RuntimeError) { a.boom }

    assert_equal(1, a.count)
    assert_equal(2, a.stats[:restarts])
    assert_equal(["boom"] * 2, said.filter_map { |what, _, why| why if what == :restart })
  end

  def test_a_supervisor_gives_up_after_too_many_restarts
    tree = witnesses(:a, :b, intensity: 2, period: 600)
    hear(2)
    gave_up = []
    listening = Raffia.instrument.subscribe(:supervisor_gave_up) { |event| gave_up << event.data }
    a = Raffia::Actor[:a]
    3.times { |count| assert_raises(RuntimeError) { a.boom("boom #{count}") } }

    assert(tree.join(PATIENCE))
    assert_instance_of(Raffia::Supervisor::GaveUp, tree.reason)
    assert_equal("boom 2", tree.reason.cause.message)
    assert_equal(:a, tree.reason.child)
    assert_equal([{ref: tree, child: :a, reason: tree.reason.reason}], gave_up)
    assert_raises(Raffia::ActorDied) { a.count }
    assert_includes(said, [:stop, :b, :shutdown])
  ensure
    listening&.cancel
  end

  def test_restarts_of_long_ago_do_not_count
    restarts = Raffia::Supervisor::RestartIntensity.new(2, 10)

    assert_equal([true, true, false], [0, 1, 10].map { |second| restarts.allow?(second) })
    restarts = Raffia::Supervisor::RestartIntensity.new(2, 10)

    assert_equal([true] * 4, [0, 5, 11, 16].map { |second| restarts.allow?(second) })
    assert(Raffia::Supervisor::RestartIntensity.new(nil, 10).allow?)
  end

  def test_what_a_supervisor_gives_up_is_for_its_own_to_decide
    journal = @journal
    inner = Class.new(Raffia::Supervisor) do
      strategy :one_for_one, intensity: 0, period: 600, backoff: 0
      child Witness, :leaf, journal, name: :leaf
    end
    outer = tree(intensity: 1, period: 600) do |s|
      s.child(inner, name: :inner)
      s.child(Witness, :other, @journal)
    end
    leaf, middle, other = Raffia::Actor[:leaf], Raffia::Actor[:inner], outer.children.last
    assert_raises(RuntimeError) { leaf.boom }

    assert_equal(1, leaf.count) # the same ref, another object
    assert_equal([1, 1, 0], [leaf, middle, other].map { |ref| ref.stats[:restarts] })
    assert_equal([[:start, :leaf], [:start, :other], [:stop, :leaf, "boom"], [:start, :leaf]], said)
    assert_raises(RuntimeError) { leaf.boom }

    assert(outer.join(PATIENCE))
    assert_instance_of(Raffia::Supervisor::GaveUp, outer.reason.cause)
    assert_equal([:dead] * 3, [leaf, middle, other].map(&:status))
    assert_empty(%i[leaf inner] & Raffia::Actor.names)
  end

  def test_the_error_is_logged_once_with_the_message_that_was_worked_on
    witnesses(:a)
    assert_raises(RuntimeError) { Raffia::Actor[:a].boom("over the edge") }
    Raffia::Actor[:a].count

    assert_equal(1, @log.string.scan("over the edge").size, @log.string)
    assert_match(/Witness#\d+ :a#boom failed/, @log.string)
  end

  def test_ends_and_restarts_are_events
    events = Thread::Queue.new
    listening = Raffia.instrument.subscribe(:actor_died, :actor_restart) do |event|
      events << [event.name, event.data[:ref], event.data[:reason].to_s]
    end
    witnesses(:a)
    a = Raffia::Actor[:a]
    assert_raises(RuntimeError) { a.boom }
    a.count

    assert_equal([[:actor_died, a, "boom"], [:actor_restart, a, "boom"]],
      Array.new(2) { events.pop(timeout: PATIENCE) })
  ensure
    listening&.cancel
  end

  def test_links_get_the_exit_of_a_crashed_child_that_is_restarted
    listener = Class.new(Raffia::Actor) do
      options trap_exit: true

      def initialize(journal) = @journal = journal

      def watch(other) = link(other)

      def on_exit(ref, reason) = @journal << [:exit, ref.name, reason.message]
    end
    witnesses(:a)
    hear(1)
    listening = listener.spawn(@journal)
    listening.watch(a = Raffia::Actor[:a])
    assert_raises(RuntimeError) { a.boom }

    assert_equal([[:exit, :a, "boom"], [:start, :a], [:stop, :a, "boom"]], hear(3).sort_by(&:first))
    assert_equal(1, a.count)
  ensure
    listening&.stop
  end
end
