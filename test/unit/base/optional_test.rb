# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class OptionalTest < Raffia::TestCase
  def test_loads_an_installed_gem
    assert Raffia::Optional.gem("minitest", ">= 5", for: "the tests")
    assert Raffia::Optional.gem("minitest", for: "the tests", feature: "minitest/mock")
    assert Raffia::Optional.available?("minitest")
    assert Raffia::Optional.available?("minitest", ">= 5")
  end

  def test_names_the_line_to_add
    error = assert_raises(Raffia::MissingDependency) do
      Raffia::Optional.gem("raffia-nonesuch", ">= 2.9.2", for: "the sqlite store")
    end
    line = 'gem "raffia-nonesuch", ">= 2.9.2"'
    assert_match(/\Athe sqlite store needs the gem raffia-nonesuch >= 2\.9\.2.*: #{line}\z/,
      error.message)
    assert_equal ["raffia-nonesuch", ">= 2.9.2"], [error.gem_name, error.requirement]
    assert_kind_of LoadError, error.cause
    refute Raffia::Optional.available?("raffia-nonesuch")
  end

  def test_a_version_that_is_not_there
    error = assert_raises(Raffia::MissingDependency) do
      Raffia::Optional.gem("minitest", ">= 999", for: "the tests")
    end
    assert_match(/gem "minitest", ">= 999"\z/, error.message)
    refute Raffia::Optional.available?("minitest", ">= 999")
  end

  def test_a_feature_that_is_not_in_it
    error = assert_raises(Raffia::MissingDependency) do
      Raffia::Optional.gem("minitest", for: "the tests", feature: "minitest/nonesuch")
    end
    assert_match(/gem "minitest"\z/, error.message)
  end
end
