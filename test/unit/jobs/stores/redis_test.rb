# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/stores/redis"

# Objects of the Redis store that need no server.
class RedisStoreTest < Raffia::TestCase
  ClaimGroup = Raffia::Jobs::Stores::Redis::ClaimGroup

  def test_claims_of_one_call_to_redis_share_their_bytes
    lease = Raffia::Jobs::Lease.new(identity: "a:1:b", token: 1, ttl: 60)
    group = ClaimGroup.new(lease, "77", "mail")
    claims = group.claims(5, [2, 3].pack(ClaimGroup::NUMBERS), "{}[1]")
    assert_equal [["{}", [77, 5]], ["[1]", [77, 6]]], claims.map { |one| [one.payload, one.key] }
    assert_equal [77, 6, "my queue"], ClaimGroup.parse("77.6 my queue")
    bytes = group.claims(0, [1, 2].pack("L<*"), "\xFFab".b).map(&:payload)
    assert_equal [Encoding::BINARY, Encoding::UTF_8], bytes.map(&:encoding)
  end
end
