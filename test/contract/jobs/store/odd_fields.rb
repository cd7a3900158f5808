# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Invalid fields under "raffia". A store refuses them. Another program may have written them: then
  # a worker gets the job, and reports why it cannot be run.
  module OddFields
    include Case

    ODD = {
      "priority" => ["high", 2**49, -2**60, 1e99, 1.5, {}],
      "limit" => [7, {"key" => "k", "max" => 0}, {"key" => nil, "max" => 1},
        {"key" => "k", "max" => "x"}],
      "on" => [7, "nowhere", []], "timeout" => ["x", -5, 0],
      "unique" => [7, {"key" => 7, "until" => "done"}, {"key" => "k", "until" => "x"}],
      "expires_at" => ["never", []], "batch" => [7, ["b"]], "crashes" => ["x", -7]
    }.freeze

    def test_fields_that_make_no_sense_are_refused
      ODD.each do |name, values|
        values.each do |value|
          error = assert_raises(Raffia::ConfigError) do
            store.enqueue([draft(1, own: {name => value})])
          end
          assert_match(/\Araffia\.#{name} must be .*, and is /, error.message)
        end
      end
      assert_places
    end

    def test_jobs_with_odd_fields_of_other_programs_reach_a_worker
      payloads = ODD.flat_map { |name, values| values.map { |value| foreign(name => value) } }
      store.enqueue(payloads.map { |payload|
        Jobs::Draft.new(jid: JSON.parse(payload)["jid"], queue: "default", payload: payload,
          at: nil, extras: nil)
      })
      claims = claim(100)
      assert_equal(payloads, claims.map(&:payload))
      store.release(claims.shift(5))
      claims.each { |one| assert(store.retry(one, one.payload, now - 1)) }
      store.promote
      again = claim(100)
      assert_equal(payloads.map { |payload| JSON.parse(payload)["jid"] }.sort,
        again.map { |one| one.item["jid"] }.sort)
      again.each { |one| assert(store.bury(one, one.payload)) }
      assert_places(dead: payloads.size)
    end

    private

    def foreign(own)
      JSON.generate("class" => "NoJob", "args" => [], "jid" => Jobs::Payload.id,
        "queue" => "default", "raffia" => own)
    end
  end
end
