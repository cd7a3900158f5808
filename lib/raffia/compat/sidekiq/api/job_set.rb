# frozen_string_literal: true

require_relative "sorted_entry"
require_relative "pages"

module Sidekiq
  # Jobs by time.
  class JobSet
    include Enumerable

    # @return [String] as Sidekiq calls it
    attr_reader :name
    # @return [Symbol] as Raffia does
    # @api private
    attr_reader :set

    # @param name [String]
    # @param set [Symbol]
    def initialize(name, set)
      @name = name
      @set = set
      @pages = Pages.new(set)
    end

    # @return [Integer]
    def size = @pages.size

    # The latest time is the first.
    # @yieldparam job [SortedEntry]
    # @return [void]
    def each(&)
      return to_enum unless block_given?

      @pages.backwards { |entry| yield record(entry) }
    end

    # @param match [String] a part of the payload, or a pattern such as "*MailJob*7*"
    # @yieldparam job [SortedEntry]
    # @return [Enumerator, void]
    def scan(match, _count = 100)
      return to_enum(:scan, match) unless block_given?

      match = "*#{match}*" unless match.include?("*")
      each { |job| yield job if File.fnmatch?(match, job.value, File::FNM_DOTMATCH) }
    end

    # @param score [Float, Time, Range] when
    # @param jid [String, nil]
    # @return [Array<SortedEntry>]
    def fetch(score, jid = nil)
      first, last = score.is_a?(Range) ? [score.begin, score.end] : [score, score]
      select { |job|
        job.score >= first.to_f && (last.nil? || job.score <= last.to_f) &&
          (jid.nil? || job.jid == jid)
      }.reverse
    end

    # @param jid [String]
    # @return [SortedEntry, nil]
    def find_job(jid) = @pages.find(jid)&.then { |entry| record(entry) }

    # @return [Boolean] whether it was there
    def delete_by_jid(score, jid) = fetch(score, jid).first&.delete || false
    alias_method :delete, :delete_by_jid

    # @param value [String] a payload
    # @return [Boolean] whether it was there
    def delete_by_value(_name, value) = find { |job| job.value == value }&.delete || false

    # All to their queues, now.
    # @return [void]
    def retry_all = @pages.drain { |entries| Raffia::Jobs.store.requeue(entries) }

    # All to the dead ones.
    # @param notify_failure [Boolean] whether the handlers of deaths are told
    # @param ex [Exception, nil] what they are told
    # @return [void]
    def kill_all(notify_failure: false, ex: nil)
      @pages.drain do |entries|
        if notify_failure
          entries.count { |entry| kill(entry, ex) }
        else
          Raffia::Jobs.store.kill(entries)
        end
      end
    end

    # @raise [NotProvided] where there is no way in but by failing
    def schedule(*)
      raise(NotProvided, "#{self.class}#schedule is not there: jobs come to #{name} by " \
        "themselves. Use Sidekiq::Client.push with \"at\"")
    end

    # @return [true]
    def clear
      @pages.clear
      true
    end

    # @return [Hash] for JSON
    def as_json(*) = {name: name}

    private

    # Only of what this has killed anybody is told.
    def kill(entry, error)
      Raffia::Jobs.store.kill([entry]).positive? && (record(entry).tell_of_death(error) || true)
    end

    def record(entry) = SortedEntry.new(self, entry.at, entry.payload, entry: entry)
  end

  # The older name.
  SortedSet = JobSet
end
