# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Counts that workers report.
  module Statistics
    include Case

    def tally(processed, failed, **classes)
      Jobs::Tally.new(processed: processed, failed: failed,
        classes: classes.transform_keys(&:to_s).transform_values do |(done, bad, ms)|
          {"processed" => done, "failed" => bad, "ms" => ms,
           "histogram" => Array.new(26) { |n| (n == 3) ? done - bad : 0 }}
        end)
    end

    def today = Time.now.utc.strftime("%F")

    def test_finished_jobs_are_counted
      store.beat(lease, tally: tally(10, 2))
      store.beat(lease, tally: tally(5, 1))
      store.resign(lease, tally: tally(1, 1))
      assert_equal([16, 4], store.counts.values_at(:processed, :failed))
    end

    # Around midnight it may be two days.
    def test_each_day_has_its_counts
      store.beat(lease, tally: tally(10, 2))
      store.beat(lease, tally: tally(5, 1))
      days = store.history
      assert_includes([today, (Time.now.utc - 86_400).strftime("%F")], days.keys.last)
      assert_equal([15, 3], %w[processed failed].map { |key| days.sum { |_, day| day[key] } })
      assert_equal(days.keys.first(1), store.history(1).keys)
    end

    # Around the change of a minute it may be two of them.
    def test_each_class_has_its_minutes
      store.beat(lease, tally: tally(3, 1, MailJob: [3, 1, 120]))
      store.beat(lease, tally: tally(3, 0, MailJob: [2, 0, 80], OtherJob: [1, 0, 5]))
      found = store.metrics
      assert_equal(%w[MailJob OtherJob], found.keys.sort)
      mail = found["MailJob"]
      assert_equal([5, 1, 200],
        %w[processed failed ms].map { |key| mail.sum { |minute| minute[key] } })
      assert_equal([26, 4], [mail.first["histogram"].size,
        mail.sum { |minute| minute["histogram"][3] }])
      assert_equal(mail.map { |minute| minute["at"] }.sort, mail.map { |minute| minute["at"] })
      assert_equal([0], mail.map { |minute| minute["at"] % 60 }.uniq)
      assert_in_delta(now, mail.last["at"], 120)
    end

    def test_idle_days_and_minutes_have_no_figures
      store.beat(lease)
      assert_equal([{}, {}], [store.metrics, store.history])
    end

    # The work of a lost lease was done, too.
    def test_the_figures_of_a_lost_lease_are_counted_too
      enqueue(1)
      (one,), = lose
      assert_nil(store.beat(one.lease, tally: tally(4, 0)))
      assert_equal(4, store.counts[:processed])
    end
  end
end
