# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

module Raffia
  # Keys of encrypted jobs.
  class JobsKeyringTest < TestCase
    ONE = "\x01".b * 32
    TWO = "\x02".b * 32

    def setup
      super
      Jobs.keys = nil
    end

    def teardown
      Jobs.keys = nil
      super
    end

    def test_keys_are_set_and_shown_by_their_ids_only
      Jobs.keys = {:active => "b", "a" => ONE, "b" => TWO}
      assert_equal(["b", %w[a b]], [Jobs.keys.active, Jobs.keys.ids])
      assert_equal("#<Raffia::Jobs::Keyring active: b, ids: a, b>", Jobs.keys.inspect)
      assert_raises(TypeError) { Marshal.dump(Jobs.keys) }
      assert(Ractor.shareable?(Jobs.keys)) if defined?(Ractor)
      Jobs.keys = nil
      assert_nil(Jobs.keys)
    end

    {
      "a Hash" => "key", "the id of one" => {:active => "b", "a" => ONE},
      ":digest must" => {:active => "a", :digest => "c", "a" => ONE},
      "up to 64 letters" => {:active => "a.b", "a.b" => ONE},
      "32 random bytes or more, not 31 bytes" => {:active => "a", "a" => ONE[1..]},
      "not Integer" => {:active => "a", "a" => 5}
    }.each do |message, keys|
      define_method(:"test_invalid_keys_are_refused_#{message.tr("^a-z", "_")}") do
        error = assert_raises(ConfigError) { Jobs.keys = keys }
        assert_includes(error.message, message)
        refute_includes(error.message, ONE[1..])
      end
    end

    def test_keys_of_jobs_differ
      Jobs.keys = {:active => "a", "a" => ONE, "b" => TWO}
      derived = [%w[a 1 p], %w[a 2 p], %w[b 1 p], %w[a 1 q]].map { |one| Jobs.keys.derive(*one) }
      assert_equal(4, derived.uniq.size)
      assert_equal([32], derived.map(&:bytesize).uniq)
      error = assert_raises(Jobs::UnknownKey) { Jobs.keys.derive("c", "1", "p") }
      assert_equal("c", error.key_id)
    end

    # RFC 5869: extract, then one block of expand.
    def test_the_derivation_is_hkdf
      Jobs.keys = {:active => "a", "a" => "\x0b".b * 32}
      prk = OpenSSL::HMAC.digest("SHA256", "salt", "\x0b".b * 32)
      assert_equal(OpenSSL::HMAC.digest("SHA256", prk, "info\x01"),
        Jobs.keys.derive("a", "salt", "info"))
    end

    def test_digests_survive_a_rotation_that_names_their_key
      Jobs.keys = {:active => "a", "a" => ONE}
      before = Jobs.digest(7)
      assert_match(/\A\h{32}\z/, before)
      Jobs.keys = {:active => "b", "a" => ONE, "b" => TWO}
      refute_equal(before, Jobs.digest(7))
      Jobs.keys = {:active => "b", :digest => "a", "a" => ONE, "b" => TWO}
      assert_equal(before, Jobs.digest("7"))
      Jobs.keys = nil
      assert_raises(ConfigError) { Jobs.digest(7) }
    end
  end
end
