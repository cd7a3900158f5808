# frozen_string_literal: true

require_relative "../testing"

Sidekiq::Testing.inline!
