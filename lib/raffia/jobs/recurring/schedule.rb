# frozen_string_literal: true

require_relative "../precondition"
require_relative "entry"

module Raffia
  module Jobs
    module Recurring
      # The recurring jobs of a store: entries, the last time of each, and which are paused. All are
      # values of the store, so all processes see the same, and each time is enqueued once.
      class Schedule
        ENTRY = "recurring:entry:"
        LAST = "recurring:last:"
        PAUSED = "recurring:paused:"
        RUN = "recurring:run:"
        private_constant :ENTRY, :LAST, :PAUSED, :RUN

        # Entries that are kept read.
        CACHED = 1000
        private_constant :CACHED

        def initialize(client = nil)
          @client = client
          @loaded = {} # by their JSON
          @times = {} # by spec and zone
        end

        # By name, without unreadable ones.
        def entries = store.keys(ENTRY).filter_map { |key| load(store.read(key)) }

        # Nil when there is none of the name.
        def [](name) = load(store.read(ENTRY + name))

        # Replaces one of the same name.
        def add(entry)
          start_anew(entry)
          store.write(ENTRY + entry.name, entry.dump)
          store.interrupt
        end

        # Replaces the entries of the program's code.
        def replace_code(entries)
          entries.each { |entry| add(entry) unless self[entry.name] == entry }
          gone = self.entries.select { |entry| entry.source == :code }
            .map(&:name) - entries.map(&:name)
          gone.each { |name| remove(name) }
        end

        # Returns whether it existed.
        def remove(name)
          return false unless store.read(ENTRY + name)

          [ENTRY, LAST, PAUSED, RUN].each { |prefix| store.write(prefix + name, nil) }
          true
        end

        # Times during a pause are not caught up.
        def pause(name) = store.write(PAUSED + name, "1")

        # Ends a pause.
        def resume(name)
          store.write(LAST + name, now.to_s)
          store.write(PAUSED + name, nil)
          store.interrupt
        end

        def paused?(name) = !store.read(PAUSED + name).nil?

        # The last time that was enqueued or skipped.
        def last(name) = store.read(LAST + name)&.to_f

        # The last job as {"jid", "at", "tick"}.
        def last_run(name) = store.read(RUN + name)&.then { |json| JSON.parse(json) }

        # Enqueues it now, and returns the id of the job. Raises {NotFound}.
        def run(name)
          entry = self[name] || raise(NotFound.new("there is no recurring job #{name}", name: name))
          jid = client.enqueue([entry.item(now)]).first
          record_run(entry, now, jid)
          jid
        end

        # Enqueues the due times of an entry, and returns the next one, nil: never again. Yields a
        # last time in the future, from a wrong clock, which is not trusted.
        def tick(entry, now = self.now)
          return if paused?(entry.name)

          last = last(entry.name)
          if last && last > now + AHEAD
            yield last if block_given?
            last = start_at(entry, now, last)
          end
          last ||= start_at(entry, now)
          times = times_of(entry)
          missed = times.between(last, now, limit: (entry.catch_up == :all) ? MAX : 1)
          selected(entry, missed, now).each { |at| last = enqueue(entry, last, at) or return now }
          skip(entry, last, missed.last)
          times.next([last, missed.last, now].compact.max)
        end

        # By the store's clock: a worker's may be wrong.
        def now = store.now

        private

        def client = @client ||= Jobs.client

        def store = client.store

        def load(json)
          json && (@loaded[json] || keep(@loaded, json, Entry.load(json)))
        rescue ConfigError, BadArguments, JSON::ParserError, ArgumentError
          nil # of another version
        end

        # A new or changed schedule has missed nothing. Before the entry is written: workers that
        # read it must not find the last time of the old one, nor one that a worker has written
        # after {remove}.
        def start_anew(entry)
          last = store.read(LAST + entry.name)
          old = self[entry.name]
          if old.nil?
            store.write(LAST + entry.name, nil, expect: last) if last
          elsif old.spec != entry.spec || old.zone != entry.zone
            store.write(LAST + entry.name, now.to_s)
          end
        end

        # Reading a spec takes milliseconds, and each worker asks for all of them every 15 s.
        def times_of(entry)
          key = [entry.spec, entry.zone]
          @times[key] || keep(@times, key, entry.times)
        end

        def keep(cache, key, value)
          cache.clear if cache.size >= CACHED
          cache[key] = value
        end

        def start_at(entry, now, last = nil)
          advance(entry, last, now)
          self.last(entry.name) || now
        end

        # Unless another process was faster.
        def advance(entry, last, at)
          expect = store.read(LAST + entry.name)
          store.write(LAST + entry.name, at.to_s, expect: expect) if expect&.to_f == last
        end

        # Seconds that the last time may be in the future, because clocks are adjusted.
        AHEAD = 60
        # Seconds of delay after which a time counts as missed.
        LATE = 60
        # Times that are caught up, at most: the latest.
        MAX = 1000
        private_constant :AHEAD, :LATE, :MAX

        def selected(entry, missed, now)
          case entry.catch_up
          when :all then missed
          when :once then missed.last(1)
          else missed.last(1).select { |at| at > now - LATE }
          end
        end

        def enqueue(entry, last, at)
          draft = client.draft(entry.item(at)) or return skip(entry, last, at)
          key = LAST + entry.name
          expect = store.read(key)
          return unless expect&.to_f == last

          precondition = Precondition.new(key: key, expect: expect, value: at.to_s)
          ids = store.enqueue([draft], precondition: precondition) or return
          record_run(entry, at, ids.first)
          at
        end

        def skip(entry, last, at)
          return last if at.nil? || at <= last

          advance(entry, last, at)
          at
        end

        def record_run(entry, tick, jid)
          store.write(RUN + entry.name, JSON.generate({"jid" => jid, "at" => now, "tick" => tick}))
        end
      end
    end
  end
end
