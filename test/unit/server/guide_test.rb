# frozen_string_literal: true

require "test_helper"
require "support/option_reference"

module Raffia
  class ServerGuideTest < TestCase
    def test_the_guide_lists_all_settings_as_they_are
      assert_equal TestSupport::OptionReference.page,
        File.read(TestSupport::OptionReference::PAGE, encoding: "UTF-8"), "run `rake docs:options`"
    end

    def test_it_names_each_hook
      page = File.read(TestSupport::OptionReference::PAGE, encoding: "UTF-8")
      assert_empty Server::Hooks::NAMES.keys.reject { |name| page.include?("`#{name}`") }
    end
  end
end
