# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:delayed_job)

require "logger"
require_relative "../jobs"
require_relative "delayed_job/errors"
require_relative "delayed_job/permission"
require_relative "delayed_job/object_writer"
require_relative "delayed_job/object_reader"
require_relative "delayed_job/performable_method"
require_relative "delayed_job/performable_mailer"
require_relative "delayed_job/job"
require_relative "delayed_job/message_sending"
require_relative "delayed_job/worker"

# Delayed Job's interface to enqueue jobs, over Raffia's jobs and any of its stores.
#
#     story.delay(queue: "press").print("A4")
#     Delayed::Job.enqueue(NewsletterJob.new("text", addresses), priority: -10)
#
# `raffia work -q press` processes them. Jobs are stored as JSON, and a stored job can name only
# rows of Active Record, mailers, classes with a method `perform`, classes with
# `handle_asynchronously`, and what the program permits:
#
#     Delayed.permit("Report", "Billing::Invoice")
module Delayed
  PERMISSION = Permission.new
  private_constant :PERMISSION

  class << self
    # Lets jobs be calls of these classes and of their objects, and have such objects in them. The
    # program that enqueues needs it, and its workers.
    def permit(*names) = PERMISSION.add(*names)

    # Raises {NotPermitted}.
    # @api private
    def permission = PERMISSION
  end
end

Object.include(Delayed::MessageSending)
Module.include(Delayed::MessageSendingClassMethods)
