# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/testing"

module Raffia
  # Encrypted arguments, from the enqueue to `perform`.
  class JobsEncryptionTest < TestCase
    KEY = "\x01".b * 32
    PLAIN = "4111-1111-secret"

    class CardJob
      include Raffia::Job

      options encrypt: true, unique: :done, limit: 2, limit_key: ->(card, *) { card },
        rate: 5, per: 60, rate_key: ->(card, *) { card }, fair_by: ->(card, *) { card }
      DONE = Thread::Queue.new
      def perform(*args) = DONE << args
    end

    class PartJob
      include Raffia::Job

      options encrypt: [1], redact: [0]
      def perform(*args) = CardJob::DONE << args
    end

    class OpenJob < CardJob
      options encrypt: false
    end

    def setup
      super
      CardJob::DONE.clear
      Jobs.keys = {:active => "k1", "k1" => KEY, "k2" => KEY.reverse.tr("\x01", "\x02")}
      Jobs.store = @store = Jobs::Store.open("memory:")
    end

    def teardown
      Jobs.keys = nil
      Jobs.store = Jobs::Store.open("memory:")
      super
    end

    def item = @store.entries(:queue).first.item

    # The payload with another envelope in place of the first argument's.
    def forged(item = self.item)
      args = item["args"].dup
      args[0] = {Jobs::Encryption::FIELD => yield(args[0][Jobs::Encryption::FIELD])}
      {**item, "args" => args}
    end

    def bytes(envelope) = envelope.split(".", 3).last.unpack1("m0")

    def with_bytes(envelope)
      [*envelope.split(".", 3).first(2), [yield(bytes(envelope))].pack("m0")].join(".")
    end

    def assert_refused(item, message = "changed")
      error = assert_raises(Jobs::DecryptionFailed) { Jobs.arguments(item) }
      assert_includes(error.message, message)
      refute_includes(error.message, PLAIN)
    end

    def test_nothing_of_the_arguments_is_stored
      CardJob.perform_async(PLAIN, {"a" => [nil, 1.5, "é"]})
      payload = @store.entries(:queue).first.payload
      refute_includes(payload, PLAIN)
      assert_equal([PLAIN, {"a" => [nil, 1.5, "é"]}], Jobs.arguments(item))
      keys = item["raffia"].values_at("unique", "limit", "rate", "fair").map { |one| one["key"] }
      keys.each { |key| assert_match(/\A(?:#{CardJob}:)?\h{32}\z/o, key) }
    end

    def test_equal_arguments_are_never_encrypted_alike
      2.times { |n| PartJob.perform_async(n, PLAIN) }
      texts = @store.entries(:queue).map { |entry| entry.item["args"][1] }
      refute_equal(*texts)
    end

    def test_lengths_are_hidden_up_to_64_bytes
      sizes = [0, 5, 60, 62].map do |length|
        PartJob.perform_async(0, "x" * length)
        bytes(@store.entries(:queue).last.item["args"][1]["raffia:enc"]).bytesize
      end
      assert_equal([64 + 28] * 3 + [128 + 28], sizes)
    end

    def test_equal_jobs_are_unique_and_others_are_not
      assert(CardJob.perform_async(PLAIN))
      assert_nil(CardJob.perform_async(PLAIN))
      assert(CardJob.perform_async(PLAIN, 2))
    end

    def test_some_arguments
      PartJob.perform_async(1, PLAIN, 3)
      assert_equal([1, 3], item["args"].values_at(0, 2))
      assert_equal([1, PLAIN, 3], Jobs.arguments(item))
      assert_equal(["(redacted)", "(encrypted with the key k1)", 3],
        Jobs::Redaction.item(item)["args"])
    end

    def test_a_subclass_and_a_call_may_have_none
      OpenJob.perform_async(1)
      assert_equal([1], item["args"])
      @store.clear(:queue)
      CardJob.set(encrypt: false).perform_async(2)
      assert_equal([2], item["args"])
    end

    # Without options of a call, and by the name of the class.
    def test_all_ways_to_enqueue_encrypt
      Jobs.enqueue([{"class" => PartJob, "args" => [1, PLAIN]}])
      Jobs.enqueue([{"class" => PartJob.name, "args" => [2, PLAIN]}])
      PartJob.perform_bulk([[3, PLAIN], [4, PLAIN]])
      PartJob.perform_in(60, 5, PLAIN)
      PartJob.set(queue: "other").perform_async(6, PLAIN)
      entries = %i[queue scheduled].flat_map { |set| @store.entries(set) }
      assert_equal(6, entries.size)
      entries.each do |entry|
        refute_includes(entry.payload, PLAIN)
        assert_equal(PLAIN, Jobs.arguments(entry.item)[1])
      end
    end

    def test_an_encrypted_job_is_not_encrypted_again
      CardJob.perform_async(PLAIN)
      first = item
      @store.clear(:queue)
      Jobs.enqueue([first])
      assert_equal(first["args"], item["args"])
      assert_equal([PLAIN], Jobs.arguments(item))
    end

    def test_without_keys_nothing_is_enqueued
      Jobs.keys = nil
      error = assert_raises(ConfigError) { PartJob.perform_async(1, PLAIN) }
      assert_includes(error.message, "Raffia::Jobs.keys =")
      assert_equal(0, @store.counts[:queue])
    end

    def test_errors_about_arguments_do_not_show_them
      error = assert_raises(Jobs::BadArguments) { PartJob.perform_async(1, PLAIN.to_sym) }
      assert_includes(error.message, "argument 2 of")
      refute_includes(error.message, PLAIN)
    end

    def test_texts_cannot_be_swapped
      CardJob.perform_async(PLAIN, 2)
      assert_refused({**item, "args" => item["args"].reverse})
      assert_refused({**item, "jid" => Jobs::Payload.id})
      assert_refused({**item, "class" => PartJob.name})
      assert_refused({**item, "wrapped" => PartJob.name})
      other = forged { |envelope| envelope.sub("k1", "k2") }
      assert_refused(other)
    end

    def test_changed_and_short_texts_are_refused
      CardJob.perform_async(PLAIN)
      size = bytes(item["args"][0]["raffia:enc"]).bytesize
      [0, 12, 12 + 64, size - 1].each do |position|
        assert_refused(forged { |text|
          with_bytes(text) { |all|
            all.setbyte(position, all.getbyte(position) ^ 1)
            all
          }
        })
      end
    end

    def test_short_tags_are_refused
      CardJob.perform_async(PLAIN)
      [1, 4, 12, 15, 16].each do |missing|
        assert_refused(forged { |text| with_bytes(text) { |all| all[0...-missing] } }, "incomplete")
      end
      assert_refused(forged { |text| with_bytes(text) { |_| "" } }, "incomplete")
      # A text that is as much shorter as the tag.
      assert_refused(forged { |text| with_bytes(text) { |all| all[0...-64] } }, "incomplete")
    end

    def test_texts_without_a_form_are_refused
      CardJob.perform_async(PLAIN)
      ["", "1", "1.k1", "1.k1.*", "x.k1.#{["a" * 92].pack("m0")}"].each do |text|
        assert_raises(Jobs::DecryptionFailed, text) { Jobs.arguments(forged { text }) }
      end
    end

    def test_unknown_keys_and_formats_are_told_apart
      CardJob.perform_async(PLAIN)
      error = assert_raises(Jobs::UnknownKey) { Jobs.arguments(forged { |t| t.sub("k1", "k9") }) }
      assert_equal("k9", error.key_id)
      newer = assert_raises(Jobs::UnknownKey) { Jobs.arguments(forged { |t| t.sub("1.", "2.") }) }
      assert_includes(newer.message, "format 2")
      found = item
      Jobs.keys = nil
      assert_raises(Jobs::UnknownKey) { Jobs.arguments(found) }
    end

    def test_the_testing_helpers_show_and_run_plain_arguments
      Jobs::Testing.fake do
        PartJob.perform_async(1, PLAIN)
        assert_equal([[1, PLAIN]], PartJob.jobs.map { |one| one["args"] })
        refute_includes(Jobs::Testing.store.entries(:queue).first.payload, PLAIN)
        PartJob.drain
      end
      Jobs::Testing.inline { PartJob.perform_async(2, PLAIN) }
      PartJob.perform_inline(3, PLAIN)
      assert_equal([[1, PLAIN], [2, PLAIN], [3, PLAIN]], Array.new(3) { CardJob::DONE.pop(true) })
    end

    def test_recurring_jobs_have_no_arguments_to_encrypt
      error = assert_raises(ConfigError) do
        Jobs::Recurring::Entry.build("c", "every 1 hour", PartJob, args: [1, PLAIN])
      end
      refute_includes(error.message, PLAIN)
      assert(Jobs::Recurring::Entry.build("c", "every 1 hour", PartJob, args: [1]))
    end

    def test_options_are_checked
      [{encrypt: 1}, {encrypt: []}, {redact: [-1]}, {redact: ["a"]}].each do |options|
        error = assert_raises(ConfigError) { Class.new { include Raffia::Job }.options(**options) }
        assert_includes(error.message, "positions of arguments")
      end
      refute_nil(Jobs::Payload::FieldCheck.complaint({"encrypt" => ["a"]}))
      assert_nil(Jobs::Payload::FieldCheck.complaint({"encrypt" => [0], "redact" => true}))
    end
  end
end
