# frozen_string_literal: true

require_relative "sorted_entry"
require_relative "pages"

module Sidekiq
  # Jobs in order of time.
  class JobSet
    include Enumerable

    # Sidekiq's name of it.
    attr_reader :name
    # Raffia's name of it.
    # @api private
    attr_reader :set

    def initialize(name, set)
      @name = name
      @set = set
      @pages = Pages.new(set)
    end

    def size = @pages.size

    # Latest time first.
    def each(&)
      return to_enum unless block_given?

      @pages.backwards { |entry| yield record(entry) }
    end

    # +match+ is a part of the payload, or a pattern such as "*MailJob*7*".
    def scan(match, _count = 100)
      return to_enum(:scan, match) unless block_given?

      match = "*#{match}*" unless match.include?("*")
      each { |job| yield job if File.fnmatch?(match, job.value, File::FNM_DOTMATCH) }
    end

    # Jobs with that score (seconds since 1970), or in that range.
    def fetch(score, jid = nil)
      first, last = score.is_a?(Range) ? [score.begin, score.end] : [score, score]
      select { |job|
        job.score >= first.to_f && (last.nil? || job.score <= last.to_f) &&
          (jid.nil? || job.jid == jid)
      }.reverse
    end

    def find_job(jid) = @pages.find(jid)&.then { |entry| record(entry) }

    # Whether the job was there.
    def delete_by_jid(score, jid) = fetch(score, jid).first&.delete || false
    alias_method :delete, :delete_by_jid

    # Whether a job with these bytes was there.
    def delete_by_value(_name, value) = find { |job| job.value == value }&.delete || false

    # Moves all jobs to their queues.
    def retry_all = @pages.drain { |entries| Raffia::Jobs.store.requeue(entries) }

    # Moves all jobs to the dead ones. With +notify_failure+, death handlers get +ex+.
    def kill_all(notify_failure: false, ex: nil)
      @pages.drain do |entries|
        if notify_failure
          entries.count { |entry| kill(entry, ex) }
        else
          Raffia::Jobs.store.kill(entries)
        end
      end
    end

    def schedule(*)
      raise(NotProvided, "#{self.class}#schedule is not there: jobs come to #{name} by " \
        "themselves. Use Sidekiq::Client.push with \"at\"")
    end

    def clear
      @pages.clear
      true
    end

    def as_json(*) = {name:}

    private

    # Calls the handlers only for jobs that this call has killed.
    def kill(entry, error)
      killed = Raffia::Jobs.store.kill([entry]).positive?
      record(entry).call_death_handlers(error) if killed
      killed
    end

    def record(entry) = SortedEntry.new(self, entry.at, entry.payload, entry:)
  end

  SortedSet = JobSet
end
