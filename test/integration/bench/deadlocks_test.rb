# frozen_string_literal: true

require "test_helper"
require "open3"
require "support/jobs_mysql"

# bench/deadlocks, briefly. The rival's part needs gems that are not in the bundle.
class BenchDeadlocksTest < Raffia::TestCase
  MAIN = File.expand_path("../../../bench/deadlocks/main.rb", __dir__)

  def setup
    super
    Raffia::Jobs::Stores::MySQL::Driver.load
    TestSupport::MariaDB.running
  rescue TestSupport::Server::Missing, Raffia::MissingDependency => error
    skip error.message
  end

  def test_there_are_none
    out, status = Open3.capture2e({"DURATION" => "2", "RAFFIA_BENCH_GEMS" => nil},
      RbConfig.ruby, MAIN, "raffia")
    assert status.success?, out
    assert_match(/\Araffia +deadlocks: 0, done: [1-9]/, out)
  end
end
