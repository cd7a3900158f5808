# frozen_string_literal: true

require "test_helper"
require "raffia/engine"

class EngineConfigTest < Raffia::TestCase
  def load(**env)
    Raffia::Engine::Config.load(Raffia::Variables.new(env.transform_keys(&:to_s)))
  end

  def test_values
    assert_equal({backend: nil, blocking_threads: nil}, load(RAFFIA_BACKEND: "").to_h)
    config = load(RAFFIA_BACKEND: "epoll", RAFFIA_BLOCKING_THREADS: "9")
    assert_equal({backend: :epoll, blocking_threads: 9}, config.to_h)
    assert Ractor.shareable?(config)
  end

  def test_every_back_end_can_be_named
    assert_equal Raffia::Engine::BACKENDS, Raffia::Engine.probe.map { |found| found[:name] }
    Raffia::Engine::BACKENDS.each do |name|
      assert_equal name, load(RAFFIA_BACKEND: name.name).backend
    end
  end

  def test_the_core_has_the_same_back_ends
    core = File.expand_path("../../../ext/raffia/core/backend.c", __dir__)
    names = File.read(core).scan(/^ +ENTRY\((\w+)\)/).flatten.map(&:to_sym)
    assert_equal Raffia::Engine::BACKENDS, [*names, :select]
  end

  def test_bad_values
    assert_refused(/RAFFIA_BACKEND=epol.*use one of/) { load(RAFFIA_BACKEND: "epol") }
    %w[0 -1 1.5 many 08].each do |value|
      assert_refused(/is not a count/) { load(RAFFIA_BLOCKING_THREADS: value) }
    end
  end
end
