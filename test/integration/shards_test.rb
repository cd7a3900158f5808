# frozen_string_literal: true

require "test_helper"
require "open3"
require "tmpdir"

# script/shards.rb, by which bin/test runs all tests.
class ShardsTest < Raffia::TestCase
  SCRIPT = File.expand_path("../../script/shards.rb", __dir__)
  FINE = "assert(true)"
  # Not the second time.
  ONCE = "File.exist?(MARK) || (File.write(MARK, '') && flunk)"

  # @param bodies [Array<String>] a test each, in a file each
  # @return [Array(String, Integer)] output, exit status
  def shards(*bodies)
    Dir.mktmpdir do |dir|
      bodies.each.with_index do |body, number|
        File.write(File.join(dir, "t#{number}_test.rb"), <<~RUBY)
          require "test_helper"
          class Shards#{number}Test < Raffia::TestCase
            MARK = #{File.join(dir, "mark").inspect}
            def test_it = #{body}
          end
        RUBY
      end
      output, status = Open3.capture2e(RbConfig.ruby, SCRIPT, "2", dir)
      [output, status.exitstatus]
    end
  end

  def test_each_part_is_shown
    output, status = shards(FINE, FINE, FINE)
    assert_equal([0, 3, 1], [status, output.scan(/^(\d) runs,.* 0 failures/).flatten.sum(&:to_i), output.scan("# Part 2 of 2").size])
    refute_match(/Once more/, output)
  end

  def test_what_passes_alone_is_named_and_fails_nothing
    output, status = shards(FINE, ONCE)
    assert_equal(0, status)
    assert_match(/^bin\/test: failed beside all others, and passed alone: Shards1Test#test_it$/, output)
  end

  def test_what_fails_twice_fails
    output, status = shards("flunk('always')", FINE)
    assert_equal(1, status)
    assert_match(/# Once more, .*: Shards0Test#test_it$/, output)
    refute_match(/passed alone/, output)
  end

  def test_who_is_ended_in_the_middle_is_not_run_again
    output, status = shards("exit!(1)", FINE)
    assert_equal(1, status)
    refute_match(/Once more/, output)
  end
end
