# frozen_string_literal: true

require "test_helper"
require "raffia/server/http/accept_encoding"

class AcceptEncodingTest < Raffia::TestCase
  NAMES = %w[zstd br gzip].freeze
  # Header => the codings that may be used, best first, and whether the plain body may.
  CASES = {
    nil => [[], true], "" => [[], true], "gzip" => [%w[gzip], true],
    "gzip, deflate, br, zstd" => [NAMES, true], "GZip ; Q=0.5,\tBR;q=0.9" => [%w[br gzip], true],
    "gzip;q=1.0, br;q=0.001" => [%w[gzip br], true], "gzip;q=0" => [[], true],
    "gzip;q=0.000, *" => [%w[zstd br], true], "*" => [NAMES, true], "*;q=0" => [[], false],
    "identity;q=0" => [[], false], "gzip, identity;q=0" => [%w[gzip], false],
    "gzip;q=0.5, identity" => [[], true], "gzip;q=0.5, identity;q=0.5" => [%w[gzip], true],
    "*;q=0, identity;q=0.1" => [[], true], "br;q=0.2, *;q=0" => [%w[br], false],
    "x-gzip" => [%w[gzip], true], "gzip;q=much" => [[], true], "gzip;q=7" => [%w[gzip], true],
    "gzip;level=3;q=0.1, br;q=0.2" => [%w[br gzip], true], ",;q=1,;,gzip,," => [%w[gzip], true],
    "deflate, compress" => [[], true]
  }.freeze

  def test_weights_choose
    CASES.each do |header, (codings, identity)|
      accepted = Raffia::Server::HTTP::AcceptEncoding.new(header)
      assert_equal codings, accepted.select(NAMES), header.inspect
      assert_equal identity, accepted.identity?, header.inspect
    end
  end

  def test_the_order_of_the_server_decides_between_equal_weights
    accepted = Raffia::Server::HTTP::AcceptEncoding.new("gzip, br")
    assert_equal %w[br gzip], accepted.select(NAMES)
    assert_equal %w[gzip br], accepted.select(NAMES.reverse)
  end
end
