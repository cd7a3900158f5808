# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsItemTest < Raffia::TestCase
  Item = Raffia::Jobs::Client::PayloadBuilder

  class MailJob
    include Raffia::Job

    options queue: "mail", retry: 3, tags: %w[a]
    def perform(*) = nil
  end

  def build(**item) = Item.build({"class" => "A", "args" => [], **item.transform_keys(&:to_s)})

  def test_a_whole_payload_comes_of_a_class_and_arguments
    item = build(args: [1])
    assert_equal({"class" => "A", "args" => [1], "queue" => "default", "retry" => true},
      item.slice("class", "args", "queue", "retry"))
    assert_match(/\A\h{24}\z/, item["jid"])
    assert_equal([Integer, Integer], item.values_at("created_at", "enqueued_at").map(&:class))
  end

  def test_a_class_says_what_its_options_are_and_the_item_says_otherwise
    item = Item.build({"class" => MailJob, "args" => [], "retry" => false})
    assert_equal([MailJob.name, "mail", false, %w[a]],
      item.values_at("class", "queue", "retry", "tags"))
  end

  def test_what_is_given_stays
    item = build(jid: "a" * 24, created_at: 5, anything: {"x" => 1})
    assert_equal(["a" * 24, 5, {"x" => 1}], item.values_at("jid", "created_at", "anything"))
  end

  def test_what_is_for_later_is_not_enqueued_yet
    at = Time.now.to_f + 900
    item = build(at: at)
    assert_equal([at, false], [item["at"], item.key?("enqueued_at")])
  end

  def test_what_is_due_already_is_enqueued_now
    item = build(at: Time.now.to_f - 1)
    assert_equal([false, true], [item.key?("at"), item.key?("enqueued_at")])
  end

  def test_arguments_that_json_gives_back_are_fine
    args = [1, -1.5, 10**30, "text", "\u{1F40E}", "ascii".b, nil, true, false, [], {},
      [{"a" => [nil]}]]
    assert_equal(args, build(args: args)["args"])
  end

  # The first argument is fine, the second is named by what is wrong in it.
  [:symbol, 1..2, Time.at(0), Object, Struct.new(:a).new(1), 1r, Float::NAN, Float::INFINITY,
    "\xff".b, "umlaut \xe4".dup.force_encoding("ISO-8859-1"),
    {a: 1}, {1 => 2}, {"a" => {nil => 1}}, [[[:deep]]],
    {"a" => [:deep]}].each_with_index do |value, index|
    define_method(:"test_arguments_that_json_changes_are_refused_#{index}") do
      error = assert_raises(Raffia::Jobs::BadArguments, value.inspect) { build(args: [1, value]) }
      assert_match(/argument 2 of A holds .* \(.+\), which JSON would not give back/m,
        error.message)
    end
  end

  def test_text_that_is_not_what_it_says_is_refused
    error = assert_raises(Raffia::Jobs::BadArguments) { build(args: ["\xff"]) }
    assert_match(/argument 1 of A/, error.message)
  end

  def test_nil_and_false_in_odd_places_are_named_too
    assert_raises(Raffia::Jobs::BadArguments) { build(args: [{nil => 1}]) }
    assert_raises(Raffia::Jobs::BadArguments) { build(args: [[{false => 1}]]) }
  end

  def test_what_is_nested_too_deep_or_in_itself_is_refused
    nest = ->(depth) { depth.times.reduce(1) { |inner, n| n.even? ? [inner] : {"a" => inner} } }
    assert_equal([nest[90]],
      Raffia::Jobs::Payload.load(Raffia::Jobs::Payload.dump(build(args: [nest[90]])))["args"])
    assert_match(/at most 90 deep/,
      assert_raises(Raffia::Jobs::BadArguments) { build(args: [nest[91]]) }.message)
    list = []
    hash = {"list" => list << list}
    [list, hash].each { |own| assert_raises(Raffia::Jobs::BadArguments) { build(args: [own]) } }
  end

  def test_arguments_must_be_a_list
    assert_raises(Raffia::Jobs::BadArguments) { build(args: {"a" => 1}) }
    assert_raises(Raffia::Jobs::BadArguments) { build(args: nil) }
  end

  def test_a_class_needs_a_name
    [nil, "", Class.new, 5, :A].each do |job|
      assert_refused(/a job needs a class with a name/) { build(class: job) }
    end
  end

  def test_the_name_of_a_queue_is_one_that_sidekiqs_web_knows
    ["", "a b", "a/b", "\u00e4", "a\n", nil].each do |name|
      assert_refused(/cannot be the name of a queue/) { build(queue: name) }
    end
    assert_equal("a_B-9.x:y", build(queue: "a_B-9.x:y")["queue"])
    assert_equal("mail", build(queue: :mail)["queue"])
  end

  def test_times_and_tags_are_checked
    ["soon", Float::INFINITY, Float::NAN].each do |at|
      assert_refused(/at must be seconds since 1970/) { build(at: at) }
    end
    assert_refused(/tags must be an Array/) { build(tags: "a") }
  end

  def test_fields_that_stores_rely_on
    {"jid" => 3, "raffia" => "x"}.each do |field, value|
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Jobs::Client::PayloadBuilder.build({"class" => "A", "args" => [], field => value})
      end
      assert_match(/#{field} must be a/, error.message)
    end
  end
end
