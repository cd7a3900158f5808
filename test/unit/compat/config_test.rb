# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/compat/config"

class CompatConfigTest < Raffia::TestCase
  def load(env) = Raffia::Compat::Config.load(Raffia::Variables.new(env))

  def test_layers
    assert_equal %i[parallel evt], load({"RAFFIA_COMPAT" => "parallel, evt"}).layers
    assert_nil load({"RAFFIA_COMPAT" => ""}).layers
  end

  def test_redis
    assert_equal "redis://a", load({"REDIS_URL" => "redis://a"}).redis_url
    assert_equal "redis://b",
      load({"REDIS_URL" => "redis://a", "REDIS_PROVIDER" => "MINE",
        "MINE" => "redis://b"}).redis_url
  end

  def test_passwords_are_not_shown
    jobs = Raffia::Jobs::Config.load(Raffia::Variables.new({"RAFFIA_WEB_AUTH" => "ada:secret"}))
    compat = load({"REDIS_URL" => "redis://:secret@localhost"})
    assert_equal ["ada:secret", "redis://:secret@localhost"], [jobs.web_auth, compat.redis_url]
    [jobs, compat].each { |config| refute_match(/secret/, config.inspect) }
  end
end
