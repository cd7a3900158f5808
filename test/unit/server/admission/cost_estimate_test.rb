# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server/admission/cost_estimate"

class ServerCostEstimateTest < Raffia::TestCase
  def setup
    @costs = Raffia::Server::Admission::CostEstimate.new
  end

  def kind(path, method = "GET") = @costs.kind({"REQUEST_METHOD" => method, "PATH_INFO" => path})

  def test_requests_of_one_kind_begin_alike
    assert_equal("GET /reports/2026", kind("/reports/2026/11/summary.pdf"))
    assert_equal(kind("/reports/2026"), kind("/reports/2026/12"))
    refute_equal(kind("/reports"), kind("/reports", "POST"))
    assert_equal(["GET /", "OPTIONS "], [kind("/"), kind("*", "OPTIONS")])
  end

  def test_a_request_is_as_heavy_as_the_last_ones
    refute(@costs.heavy?("GET /a"))
    @costs.record("GET /a", 0.2)
    assert(@costs.heavy?("GET /a"))
    refute(@costs.heavy?("GET /b"))
    4.times { @costs.record("GET /a", 0.001) }
    assert(@costs.heavy?("GET /a"))
    @costs.record("GET /a", 0.001)
    refute(@costs.heavy?("GET /a"))
  end

  # Clients choose the paths.
  def test_the_kinds_that_are_remembered_are_bounded
    600.times { |number| @costs.record("GET /#{number}", 1.0) }
    assert_equal(500, (0...600).count { |number| @costs.heavy?("GET /#{number}") })
    assert(@costs.heavy?("GET /599"), "one that is new replaces an old one")
  end

  def test_light_kinds_take_no_place
    @costs.record("GET /report", 1.0)
    600.times { |number| @costs.record("GET /missing/#{number}", 0.001) }
    assert(@costs.heavy?("GET /report"))
  end
end
