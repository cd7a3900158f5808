# frozen_string_literal: true

require_relative "sidekiq_case"

# Active Jobs that one side's adapter has enqueued are done by the other side's worker.
class JobsSidekiqActiveJobTest < Raffia::TestCase
  include JobsSidekiqCase

  WORDS = ["zwölf", {"a" => [1, nil]}, 2.5].freeze
  THEIRS = <<~RUBY
    require "active_job"
    require "sidekiq/rails"
    require "active_job/queue_adapters/sidekiq_adapter"
    ActiveJob::Base.logger = nil
    class WordsJob < ActiveJob::Base
      self.queue_adapter = :sidekiq
      def perform(*words)
        Sidekiq.redis { |redis| redis.lpush("done", JSON.generate([job_id, words])) }
      end
    end
    class SourJob < ActiveJob::Base
      self.queue_adapter = :sidekiq
      def perform = raise(ArgumentError, "on purpose")
    end
  RUBY

  def more_jobs = THEIRS

  def setup
    %w[activejob sidekiq].each do |gem|
      if Gem::Specification.find_all_by_name(gem).empty?
        skip "the gem #{gem} is not installed (bin/setup --server)"
      end
    end
    super
    define_ours unless Object.const_defined?(:WordsJob)
  end

  # With the classes that both sides know.
  def define_ours
    require "active_job"
    require "active_job/queue_adapters/raffia_adapter"
    ActiveJob::Base.logger = nil
    Object.class_eval <<~RUBY, __FILE__, __LINE__ + 1
      class WordsJob < ActiveJob::Base
        self.queue_adapter = :raffia
        def perform(*words) = Raffia::Jobs.store.write("done:\#{job_id}", JSON.generate(words))
      end
      class SourJob < ActiveJob::Base
        self.queue_adapter = :raffia
        def perform = raise(ArgumentError, "on purpose")
      end
    RUBY
  end

  def test_theirs_are_done_by_our_worker
    ids = @sidekiq.ask("words = JSON.parse(#{JSON.generate(WORDS).inspect}); " \
      "[WordsJob.perform_later(*words), WordsJob.set(wait: " \
      "0.3).perform_later('later')].map(&:job_id)")
    working { wait_until(LONG) { done_here.size == 2 } }
    assert_equal({ids[0] => WORDS, ids[1] => ["later"]}, done_here)
  end

  def test_ours_are_done_by_their_worker
    ids = [WordsJob.perform_later(*WORDS),
      WordsJob.set(wait: 0.3).perform_later("later")].map(&:job_id)
    @sidekiq.working { wait_until(LONG) { done_there.size == 2 } }
    assert_equal({ids[0] => WORDS, ids[1] => ["later"]}, done_there)
  end

  def test_both_leave_the_same_when_one_fails
    @sidekiq.ask("SourJob.perform_later; 1")
    @sidekiq.working { wait_until(LONG) { payloads("retry").any? } }
    theirs = payloads("retry").first
    @redis.call("DEL", "retry")
    SourJob.perform_later
    working { wait_until(LONG) { payloads("retry").any? } }
    ours = payloads("retry").first
    assert_equal(theirs.slice(*SAME), ours.slice(*SAME))
    assert_equal(theirs["args"].first.keys.sort, ours["args"].first.keys.sort)
    assert_equal(theirs.keys.sort, ours.keys.sort)
  end

  SAME = %w[class wrapped queue retry retry_count error_class error_message].freeze

  def test_their_web_names_the_class_within
    SourJob.perform_later
    assert_includes(@sidekiq.ask("web('GET', '/queues/default').body"), "SourJob")
    assert_equal(["SourJob", []],
      @sidekiq.ask("Sidekiq::Queue.new.first.then { |job| [job.display_class, job.display_args] }"))
  end
end
