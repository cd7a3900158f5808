# frozen_string_literal: true

require "support/other_ruby"
require_relative "serve_takeover_case"

module Raffia
  # A server takes over from one of another version of Ruby, and the other way round.
  class CLIServeTakeoverRubiesTest < CLIServeTakeoverCase
    def test_there_and_back
      other = TestSupport::OtherRuby.find
      old_server do |old|
        successor(ruby: other.path, env: other.environment) do |new|
          under_load do
            await_takeover(old, new)
            assert_includes old.err, "Ruby #{other.version}) takes over"
          end
          assert_served_by(new)
          successor do |newest|
            under_load do
              await_takeover(new, newest)
              assert_includes new.err, "Ruby #{RUBY_VERSION}) takes over"
            end
            assert_served_by(newest)
          end
        end
      end
    rescue TestSupport::OtherRuby::Missing => error
      skip error.message
    end
  end
end
