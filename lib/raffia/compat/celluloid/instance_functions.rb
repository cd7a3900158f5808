# frozen_string_literal: true

# Functions for code of actors, also as Celluloid.NAME.
module Celluloid
  # Fails the caller's call; this actor continues.
  def abort(cause)
    cause = RuntimeError.new(cause) if cause.is_a?(String)
    unless cause.is_a?(Exception)
      raise TypeError, "Exception object/String expected, but #{cause.class} received"
    end

    raise AbortError, cause
  end

  def terminate = Actor.cell!.terminate

  # Wakes all methods of this actor that wait for the name.
  def signal(name, value = nil) = Actor.cell!.signals.signal(name, value)

  def wait(name) = Actor.cell!.signals.wait(name)

  def current_actor = Actor.current

  # The same for all calls that one call led to.
  def call_chain_id = ::Thread.current[:celluloid_task]&.chain_id

  def tasks = Actor.cell!.tasks

  def links = Internals::Links.new(Actor.cell!)

  def monitor(actor) = Actor.monitor(actor)

  def unmonitor(actor) = Actor.unmonitor(actor)

  def link(actor) = Actor.link(actor)

  def unlink(actor) = Actor.unlink(actor)

  def monitoring?(actor) = Actor.monitoring?(actor)

  def linked_to?(actor) = Actor.linked_to?(actor)

  def receive(timeout = nil, &block)
    task = ::Thread.current[:celluloid_task]
    return mailbox_of_thread.receive(timeout, &block) if task.nil? || task.exclusive?

    task.cell.signals.receive(timeout, block)
  end

  # The actor continues with other messages meanwhile.
  def sleep(interval = nil)
    unless ::Thread.current[:celluloid_actor]
      return interval ? ::Kernel.sleep(interval) : ::Kernel.sleep
    end

    started = ::Raffia::Clock.now
    Celluloid.suspend(:sleeping, Internals::Sleeper.new(interval))
    (::Raffia::Clock.now - started).round
  end

  def timeout(duration, &) = Task.current.timeout(duration, &)

  # No other task of this actor runs while the block waits.
  def exclusive(&) = Task.current.exclusive(&)

  def exclusive? = !!::Thread.current[:celluloid_task]&.exclusive?

  def after(interval, &block) = Actor.cell!.timer(interval, false, block)

  def every(interval, &block) = Actor.cell!.timer(interval, true, block)

  def defer(&) = Future.new(&).value

  def async(name = nil, *arguments, **keywords, &block)
    Actor.current.async(name, *arguments, **keywords, &block)
  end

  def future(name = nil, *arguments, **keywords, &block)
    Actor.current.future(name, *arguments, **keywords, &block)
  end

  private

  def mailbox_of_thread = Celluloid.mailbox
end
