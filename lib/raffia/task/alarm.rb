# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  # Timer of a scheduler's deadlines: one fiber that sleeps until the next of them (docs/adr/0002).
  #
  # It belongs to one thread, whose fibers alone touch it, so it needs no lock. The fiber starts
  # with the first deadline and ends with the last, because the loop could not end before. While a
  # scope is open it stays: starting a fiber costs more than the rest of a deadline.
  #
  # @api private
  class Alarm
    KEY = :raffia_alarm
    # Entries that are no longer wanted are dropped when they are due, or when they outnumber this
    # and the others.
    SLACK = 64
    private_constant :KEY, :SLACK

    Entry = Struct.new(:at, :call)
    private_constant :Entry

    # The one of the running thread and this scheduler.
    def self.of(scheduler)
      thread = Thread.current
      alarm = thread.thread_variable_get(KEY)
      return alarm if alarm&.serves?(scheduler)

      new(scheduler).tap { |fresh| thread.thread_variable_set(KEY, fresh) }
    end

    def initialize(scheduler)
      @scheduler = scheduler
      @entries = [] # by time
      @wanted = @scopes = 0
      @sleep = nil
    end

    def serves?(scheduler) = @scheduler.equal?(scheduler)

    def running? = !!@running

    # Runs the block. If it takes longer than until `at`, `call` is called meanwhile, and again at
    # the time that it returns, if any.
    def watch(at, call)
      entry = arm(at, call)
      yield
    ensure
      disarm(entry) if entry
    end

    # Has `call` called at that time, and again at the time that it returns, if any. Returns an
    # object for {disarm}.
    def arm(at, call)
      entry = Entry.new(at, call)
      add(entry)
      armed = true
      entry
    ensure
      disarm(entry) unless armed # there was no fiber to be had
    end

    def disarm(entry)
      return unless entry.call

      settle(entry)
      @entries.select!(&:call) if @entries.size > SLACK && @entries.size > 2 * @wanted
      wake if done?
    end

    # Runs the block, a scope, and keeps the fiber meanwhile.
    def keep
      @scopes += 1
      yield
    ensure
      @scopes -= 1
      wake if done?
    end

    private

    def done? = @wanted.zero? && @scopes.zero?

    def add(entry)
      index = insert(entry)
      @wanted += 1
      @running ? (wake if index.zero?) : start
    end

    def insert(entry)
      index = @entries.bsearch_index { |other| other.at > entry.at } || @entries.size
      @entries.insert(index, entry)
      index
    end

    def settle(entry)
      entry.call = nil
      @wanted -= 1
    end

    def wake = @sleep&.settle

    # The fiber starts at once, so `@running` is true when this returns. It stays false when there
    # could be no fiber.
    def start
      Fiber.schedule { Deadline.replace(nil) { run } }
    end

    def run
      @running = true
      keep_watch until done?
    ensure
      @sleep = nil
      @running = false
      # Stopped from outside, with deadlines still to watch.
      start if @wanted.positive?
    end

    def keep_watch
      fire
      return if done?

      @sleep = Waiter.new
      @sleep.wait(@entries.empty? ? nil : [@entries.first.at - Clock.now, 0].max)
    end

    def fire
      now = Clock.now
      while (entry = @entries.first) && (entry.call.nil? || entry.at <= now)
        @entries.shift
        call = entry.call or next
        again = call.call
        next settle(entry) unless again

        entry.at = again
        insert(entry)
      end
    end
  end
end
