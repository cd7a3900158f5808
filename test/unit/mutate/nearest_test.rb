# frozen_string_literal: true

require "test_helper"
require_relative "../../../script/mutate"

# Which tests `rake mutate` runs for a mutant.
class MutateNearestTest < Raffia::TestCase
  INDEX = Mutate::TestIndex.new

  def mutant(file, scope = nil)
    Mutate::Mutant.new(file: "lib/raffia/#{file}", line: 1, operator: :swap, range: 0...1,
      replacement: "", scope: scope)
  end

  def nearest(file, scope = nil, seconds: 20)
    Mutate::Nearest.new(seconds, INDEX).chosen(mutant(file, scope))
  end

  def test_by_path_and_by_constant
    assert_includes nearest("task/channel.rb").first(3), "test/contract/task/channel_test.rb"
    assert_match(/jobs\/web/, nearest("jobs/web/format.rb").first)
    assert_match(/jobs\/(stores\/)?redis/, nearest("jobs/stores/redis/scripts.rb").first)
    assert_match(/supervisor/, nearest("process/pid_file.rb").first)
    assert_match(/wrk_test/, nearest("lab/http/wrk.rb").first)
  end

  def test_words_that_are_shared_by_chance_do_not_lead_elsewhere
    assert_match(/pool|executor/, nearest("executor/worker_loop.rb").first)
    refute_match(/jobs\/worker/, nearest("executor/worker_loop.rb").join)
  end

  def test_the_seconds_bound_what_is_run_but_for_the_first
    few = nearest("task/channel.rb", seconds: 0)
    assert_equal 1, few.size
    chosen = nearest("task/channel.rb", seconds: 15)
    assert_operator chosen.sum { |file| INDEX.seconds(file) }, :<=, 15
    nothing = Mutate::Touched.new("/nowhere")
    batches = Mutate::Nearest.new(15, INDEX, nothing).batches(mutant("task/channel.rb"))
    assert_equal chosen, batches.flat_map(&:files)
    assert_operator batches.size, :>, 1
  end

  # Stands for the records.
  Records = Struct.new(:all) do
    def tests(*) = all
  end

  def touched(file, name, seconds, focus) = Mutate::Touched::Test.new(file, name, seconds, focus)

  def test_tests_that_run_the_line_come_first_and_variants_of_one_after_others
    channel = "test/contract/task/channel_test.rb"
    tests = [touched(channel, "Epoll#test_a", 0.1, 0.5), touched(channel, "Poll#test_a", 0.1, 0.5),
      touched(channel, "Poll#test_b", 0.1, 0.2),
      touched("test/contract/run/run_test.rb", "Run#test", 0.1, 0.2),
      touched(channel, "Poll#test_slow", 90, 0.5)]
    near = Mutate::Nearest.new(20, INDEX, Records.new(tests))
    names = near.touching(mutant("task/channel.rb")).map(&:name)
    assert_equal %w[Epoll#test_a Poll#test_b Run#test Poll#test_a], names
    batch = near.batches(mutant("task/channel.rb")).first
    assert_equal [channel, "test/contract/run/run_test.rb"], batch.files
    assert_equal names, batch.names
  end
end
