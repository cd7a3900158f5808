# frozen_string_literal: true

require "test_helper"
require "support/settings_signatures"

class ServiceSignaturesTest < Raffia::TestCase
  def test_signatures_have_the_keywords_of_the_settings
    TestSupport::SettingsSignatures.files.each do |path, text|
      assert_equal text, File.read(path), "run `rake types:settings`"
    end
  end
end
